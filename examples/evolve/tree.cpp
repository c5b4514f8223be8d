#include "evolve/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace evolve {
namespace {

bool is_sign(const Primitive& primitive) { return std::isalpha(static_cast<unsigned char>(primitive.name[0])) == 0; }

// Appends the subtree that starts at `begin` and returns where it ends.
std::size_t write(const Tree& tree, std::size_t begin, const Language& language, std::string& text) {
  const Primitive& primitive = language.of(tree[begin]);
  if (primitive.make_constant) text += fmt::format("{:.4g}", tree[begin].value);
  if (primitive.arity == 0) {
    text += primitive.name;
    return begin + 1;
  }
  const bool infix = primitive.arity == 2 && is_sign(primitive);
  const std::string between = infix ? fmt::format(" {} ", primitive.name) : ", ";
  text += infix ? "(" : primitive.name + "(";
  std::size_t next = begin + 1;
  for (std::size_t i = 0; i < primitive.arity; ++i) {
    if (i > 0) text += between;
    next = write(tree, next, language, text);
  }
  text += ')';
  return next;
}

std::size_t emit_subtree(const Tree& tree, std::size_t begin, const Language& language, Emission& emission) {
  const Primitive& primitive = language.of(tree[begin]);
  std::size_t next = begin + 1;
  for (std::size_t i = 0; i < primitive.arity; ++i) next = emit_subtree(tree, next, language, emission);
  primitive.emit(emission, tree[begin]);
  return next;
}

}  // namespace

Language make_language(petri::ValueType type, std::vector<Primitive> leaves, std::vector<Primitive> functions) {
  Language language{.type = type, .primitives = std::move(leaves), .leaves = 0};
  language.leaves = language.primitives.size();
  std::ranges::move(functions, std::back_inserter(language.primitives));
  return language;
}

Primitive variable(std::string name, std::size_t index) {
  return {.name = std::move(name), .arity = 0, .emit = [index](Emission& emission, const Node&) {
            emission.body.local_get(emission.variables[index]);
          }};
}

std::size_t subtree_end(const Tree& tree, std::size_t begin, const Language& language) {
  std::size_t open = 1;
  std::size_t next = begin;
  for (; open > 0; ++next) open += language.of(tree[next]).arity - 1;
  return next;
}

std::size_t depth(const Tree& tree, const Language& language) {
  std::size_t deepest = 0;
  std::vector<std::size_t> operands_missing;  // of the nodes above this one
  for (const Node& node : tree) {
    deepest = std::max(deepest, operands_missing.size() + 1);
    operands_missing.push_back(language.of(node).arity);
    while (!operands_missing.empty() && operands_missing.back() == 0) {
      operands_missing.pop_back();
      if (!operands_missing.empty()) --operands_missing.back();
    }
  }
  return deepest;
}

std::string to_text(const Tree& tree, const Language& language) {
  std::string text;
  write(tree, 0, language, text);
  const bool in_brackets = text.size() > 2 && text.front() == '(';
  return in_brackets ? text.substr(1, text.size() - 2) : text;
}

std::vector<petri::WasmFunction> import_math(const Tree& tree, const Language& language, petri::WasmBuilder& module) {
  std::vector<petri::WasmFunction> imported(language.primitives.size());
  std::vector<bool> known(language.primitives.size());
  for (const Node& node : tree) {
    const Primitive& primitive = language.of(node);
    if (primitive.math.empty() || known[node.primitive]) continue;
    known[node.primitive] = true;
    imported[node.primitive] = module.import_function(
        "math", primitive.math,
        {.params = petri::WasmTypes::repeated(language.type, primitive.arity), .results = {language.type}});
  }
  return imported;
}

void emit_tree(const Tree& tree, const Language& language, Emission emission) {
  emit_subtree(tree, 0, language, emission);
}

void emit_function(const Tree& tree, const Language& language, std::size_t variables, petri::WasmBuilder& module) {
  const auto imported = import_math(tree, language, module);
  auto body = module.function(
      "f", {.params = petri::WasmTypes::repeated(language.type, variables), .results = {language.type}});
  std::vector<petri::WasmLocal> locals;
  for (std::uint32_t i = 0; i < variables; ++i) locals.emplace_back(i);
  emit_tree(tree, language,
            {.body = body, .variables = locals, .scratch = body.local(language.type), .imported = imported});
  body.end();
}

}  // namespace evolve
