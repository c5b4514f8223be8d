// Expressions as trees: what genetic programming calls a program.
#pragma once

#include <petri/value.h>
#include <petri/wasm_builder/wasm_builder.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/random.h"

namespace evolve {

// In prefix order: a node's operands stand behind it. `primitive` is an index into the language.
struct Node {
  std::uint16_t primitive = 0;
  double value = 0;  // of a constant
  bool operator==(const Node&) const = default;
};
using Tree = std::vector<Node>;

// Where a tree becomes code.
struct Emission {
  petri::WasmBody& body;
  std::span<const petri::WasmLocal> variables;
  petri::WasmLocal scratch;                       // of the language's type, for one primitive at a time
  std::span<const petri::WasmFunction> imported;  // by primitive; of those that import
};

struct Primitive {
  std::string name;  // as formulas show it
  std::size_t arity = 0;
  // Emitted after its operands.
  std::function<void(Emission&, const Node&)> emit;
  std::string math = {};                              // the function of petri's `math` module that it imports
  std::function<double(Random&)> make_constant = {};  // of a leaf that is a constant, drawn when a tree is made
};

// The operators and leaves of trees; all values have one type. Leaves come first.
struct Language {
  petri::ValueType type = petri::ValueType::f64;
  std::vector<Primitive> primitives;
  std::size_t leaves = 0;

  const Primitive& of(const Node& node) const { return primitives[node.primitive]; }
};
Language make_language(petri::ValueType type, std::vector<Primitive> leaves, std::vector<Primitive> functions);
Primitive variable(std::string name, std::size_t index);

// Behind the last node of the subtree that starts here.
std::size_t subtree_end(const Tree& tree, std::size_t begin, const Language& language);
// 1 for a leaf.
std::size_t depth(const Tree& tree, const Language& language);
std::string to_text(const Tree& tree, const Language& language);

// Imports what the tree needs; the answer is for Emission::imported. Comes before all functions of the module.
std::vector<petri::WasmFunction> import_math(const Tree& tree, const Language& language, petri::WasmBuilder& module);
// Leaves the tree's value on the stack.
void emit_tree(const Tree& tree, const Language& language, Emission emission);
// A module whose "f" takes the variables and returns the tree's value.
void emit_function(const Tree& tree, const Language& language, std::size_t variables, petri::WasmBuilder& module);

}  // namespace evolve
