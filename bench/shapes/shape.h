// Modules that are accepted and made to cost an engine as much as they can for each of their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "bench/wasm_writer.h"

namespace petri::bench {

// How a shape is to be made.
struct Recipe {
  std::size_t bytes = 0;       // about how large the module is
  std::size_t body_bytes = 0;  // and its function bodies at most
  double dilution = 0;         // bytes of filler for each hostile one: how a shape keeps within a bound on density
};

struct Shape {
  std::string_view name;
  std::function<Bytes(const Recipe& recipe)> make;
};

const std::vector<Shape>& control_shapes();   // blocks, loops, branches
const std::vector<Shape>& value_shapes();     // locals, operands, values that blocks and calls carry
const std::vector<Shape>& operator_shapes();  // straight-line code
const std::vector<Shape>& section_shapes();   // functions, types, globals, exports, segments
const std::vector<Shape>& mixed_shapes();     // several of these at once
const std::vector<Shape>& searched_shapes();  // what a search has found
std::vector<Shape> all_shapes();

// The bound of this name in the gate's table; a million when it has none of that name.
std::uint64_t bound(std::string_view name);
// As how many levels of nesting a loop counts.
constexpr std::size_t kLoopLevels = 8;

// A function body that repeats `unit` as often as there is room.
struct Body {
  std::vector<LocalGroup> locals;
  Bytes before;
  Bytes unit;
  Bytes after;
  std::size_t units_max = SIZE_MAX;
};
// Adds functions of this body and type until they are as large as the recipe says, and filler beside them.
void fill(ModuleWriter& module, const Recipe& recipe, std::uint32_t type, const Body& body);
// A module of such functions of type () -> (), with a page of memory.
Bytes module_of(const Recipe& recipe, const Body& body);

// How much of a module is hostile.
std::size_t hostile_bytes(const Recipe& recipe);
// Adds functions of operators that do nothing beside this many hostile bytes.
void add_filler(ModuleWriter& module, const Recipe& recipe, std::size_t beside);

// A table of the module's first functions.
void add_table(ModuleWriter& module, std::size_t functions);

// `count` values on the stack, each loaded from memory.
Bytes loads(std::size_t count);

}  // namespace petri::bench
