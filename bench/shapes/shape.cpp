#include "bench/shapes/shape.h"

#include <algorithm>
#include <cmath>

#include "bench/shapes/opcodes.h"
#include "engine/engine_tables.h"

namespace petri::bench {

std::vector<Shape> all_shapes() {
  std::vector<Shape> all;
  for (const auto* family : {&control_shapes(), &value_shapes(), &operator_shapes(), &section_shapes(), &mixed_shapes(),
                             &searched_shapes()}) {
    all.insert(all.end(), family->begin(), family->end());
  }
  return all;
}

std::uint64_t bound(std::string_view name) {
  static const std::vector<EngineBound> bounds = engine_bounds();
  const auto found = std::find_if(bounds.begin(), bounds.end(), [&](const EngineBound& b) { return b.name == name; });
  return found == bounds.end() ? 1'000'000 : found->candidate;
}

namespace {

// The bytes that a body needs besides its operators, at most.
constexpr std::size_t kFrameBytes = 16;

// The body with as many units as fit into this many bytes, but at least one.
Bytes code_of(const Body& body, std::size_t bytes) {
  const std::size_t frame = body.before.size() + body.after.size() + kFrameBytes;
  const std::size_t room = bytes > frame ? (bytes - frame) / body.unit.size() : 0;
  Bytes code = body.before;
  put(code, repeated(std::clamp<std::size_t>(room, 1, body.units_max), body.unit));
  put(code, body.after);
  return code;
}

}  // namespace

void fill(ModuleWriter& module, const Recipe& recipe, std::uint32_t type, const Body& body) {
  const std::size_t before = module.size(), wanted = hostile_bytes(recipe);
  std::size_t made = 0;
  do {
    module.add_function(type, body.locals, code_of(body, std::min(recipe.body_bytes, wanted - made)));
    made = module.size() - before;
  } while (made + kFrameBytes < wanted);
  add_filler(module, recipe, made);
}

std::size_t hostile_bytes(const Recipe& recipe) {
  return static_cast<std::size_t>(static_cast<double>(recipe.bytes) / (1 + recipe.dilution));
}

void add_filler(ModuleWriter& module, const Recipe& recipe, std::size_t beside) {
  auto wanted = static_cast<std::size_t>(std::ceil(recipe.dilution * static_cast<double>(beside)));
  if (wanted == 0) return;
  const std::uint32_t type = module.add_type({}, {});
  for (; wanted > 0; wanted -= std::min(wanted, recipe.body_bytes)) {
    const std::size_t room = std::min(wanted, recipe.body_bytes);
    module.add_function(type, {}, code_of({.unit = {op::i32_const, 0, op::drop}}, room));
  }
}

Bytes module_of(const Recipe& recipe, const Body& body) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {});
  module.add_memory(1);
  fill(module, recipe, type, body);
  module.add_export("run", 0);
  return module.finish();
}

void add_table(ModuleWriter& module, std::size_t functions) {
  Bytes segment{0, op::i32_const, 0, op::end}, table{code_funcref, 0};
  append_unsigned(segment, functions);
  for (std::size_t function = 0; function < functions; ++function) append_unsigned(segment, function);
  append_unsigned(table, functions);
  module.add(ModuleWriter::tables, table);
  module.add(ModuleWriter::elements, segment);
}

Bytes loads(std::size_t count) {
  Bytes code;
  for (std::size_t i = 0; i < count; ++i) {
    put(code, {op::i32_const, 0, op::i64_load, 0});
    append_unsigned(code, 8 * i);
  }
  return code;
}

}  // namespace petri::bench
