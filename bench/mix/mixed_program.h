// Small programs as evolution makes them, drawn from a seed: expressions, branches, bounded loops, calls and memory.
// A program is a list of statements over trees; it becomes a module, Python or JavaScript, and all of them compute the
// same number bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"
#include "petri/wasm_builder/wasm_builder.h"

namespace petri::bench::mix {

enum class ProgramShape : std::uint8_t { straight, branches, loop, calls, memory };
std::string_view name_of(ProgramShape shape);

// Trees are kept in prefix order, children after their parent. Whatever the draw, the values stay finite.
struct Node {
  enum class Kind : std::uint8_t {
    x,         // the parameter
    y,         // the one variable
    slot,      // a number in memory
    constant,  // never an integer
    add,
    sub,
    mul,
    quotient,  // a / (|b| + 1)
    root,      // the square root of |a|
    choice,    // a < b ? c : d
    call,      // the helper of a
  } kind;
  std::uint32_t slot = 0;
  double value = 0;
};
using Tree = std::vector<Node>;

struct Statement {
  enum class Kind : std::uint8_t {
    set,     // y = value
    store,   // slot `number` = value
    repeat,  // y = value, `number` times
    when,    // if left < right: y = value
    leave,   // if left < right: the result is value
  } kind;
  std::uint32_t number = 0;
  Tree value;
  Tree left = {};
  Tree right = {};
};

constexpr std::uint32_t kSlots = 4;

struct MixedProgram {
  ProgramShape shape = ProgramShape::straight;
  Tree helper;  // empty: none
  std::vector<Statement> statements;
  Tree result;
};

// The shape by number: of six in a row two are straight, two have branches, one has a loop, and one has calls or memory
// in turn.
ProgramShape shape_of(std::uint64_t number);

// The seed that benchmarks and peers draw from.
constexpr std::uint64_t kMixSeed = 17;

// The program of a seed and number, always the same; programs of different numbers differ in a constant at least.
MixedProgram draw_program(std::uint64_t seed, std::uint64_t number);

double value_of(const MixedProgram& program, double x);

// A module that exports "f" of type (f64) -> f64. Replaces what is in `bytes`.
Result<void> build_program(const MixedProgram& program, WasmBuilder& builder, std::vector<std::uint8_t>& bytes);

// Python that defines `f` and expects `sqrt`; a JavaScript expression that is the function.
std::string python_of(const MixedProgram& program);
std::string javascript_of(const MixedProgram& program);

}  // namespace petri::bench::mix
