#include <algorithm>

#include "bench/shapes/opcodes.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

std::size_t carried_max() { return std::min(bound("parameters"), bound("results")); }

void put_local(Bytes& code, unsigned opcode, std::size_t local) {
  put(code, {opcode});
  append_unsigned(code, local);
}

// Sets locals 1 to `count` from memory; local 0 stays the condition.
Bytes set_locals(std::size_t count) {
  Bytes code;
  for (std::size_t local = 1; local <= count; ++local) {
    put(code, {op::i32_const, 0, op::i64_load, 0});
    append_unsigned(code, 8 * local);
    put_local(code, op::local_set, local);
  }
  return code;
}

Bytes use_locals(std::size_t count) {
  Bytes code;
  for (std::size_t local = 1; local <= count; ++local) {
    put(code, {op::i32_const, 0});
    put_local(code, op::local_get, local);
    put(code, {op::i64_store, 0});
    append_unsigned(code, 8 * local);
  }
  return code;
}

// Each local becomes the next one.
Bytes rotate_locals(std::size_t count) {
  Bytes code;
  for (std::size_t local = 1; local < count; ++local) {
    put_local(code, op::local_get, local + 1);
    put_local(code, op::local_set, local);
  }
  return code;
}

Bytes locals_across(const Recipe& recipe, std::size_t count, const Bytes& unit) {
  return module_of(recipe, {.locals = {{1, code_i32}, {static_cast<std::uint32_t>(count), code_i64}},
                            .before = set_locals(count),
                            .unit = unit,
                            .after = use_locals(count)});
}

const Bytes kIf{op::local_get, 0, op::if_, op::empty, op::end};
const Bytes kLoop{op::loop, op::empty, op::local_get, 0, op::br_if, 0, op::end};

Bytes all_locals_across_ifs(const Recipe& recipe) { return locals_across(recipe, bound("locals") - 1, kIf); }
Bytes some_locals_across_ifs(const Recipe& recipe) { return locals_across(recipe, 64, kIf); }
Bytes few_locals_across_ifs(const Recipe& recipe) { return locals_across(recipe, 16, kIf); }
Bytes some_locals_across_loops(const Recipe& recipe) { return locals_across(recipe, 64, kLoop); }
Bytes few_locals_across_loops(const Recipe& recipe) { return locals_across(recipe, 16, kLoop); }

// Loops in each other at the bound, around this code.
Bytes in_nested_loops(const Recipe& recipe, std::size_t locals, const Bytes& code) {
  const std::size_t depth = bound("nesting") / kLoopLevels - 2;
  Bytes unit = repeated(depth, {op::loop, op::empty});
  put(unit, code);
  put(unit, repeated(depth, {op::local_get, 0, op::br_if, 0, op::end}));
  return module_of(recipe, {.locals = {{1, code_i32}, {static_cast<std::uint32_t>(locals), code_i64}}, .unit = unit});
}

Bytes many_locals_moved_in_loops(const Recipe& recipe) { return in_nested_loops(recipe, 512, rotate_locals(512)); }
Bytes some_locals_moved_in_loops(const Recipe& recipe) { return in_nested_loops(recipe, 64, rotate_locals(64)); }
Bytes few_locals_moved_in_loops(const Recipe& recipe) { return in_nested_loops(recipe, 8, rotate_locals(8)); }
Bytes many_locals_read_in_loops(const Recipe& recipe) { return in_nested_loops(recipe, 512, use_locals(512)); }
Bytes some_locals_read_in_loops(const Recipe& recipe) { return in_nested_loops(recipe, 64, use_locals(64)); }

Bytes operands_across(const Recipe& recipe, const Bytes& unit) {
  const std::size_t count = bound("operands") - 8;
  Bytes after = repeated(count - 1, {op::i64_xor});
  put(after, {op::drop});
  return module_of(recipe, {.locals = {{1, code_i32}}, .before = loads(count), .unit = unit, .after = after});
}

Bytes operands_across_ifs(const Recipe& recipe) { return operands_across(recipe, kIf); }
Bytes operands_across_loops(const Recipe& recipe) { return operands_across(recipe, kLoop); }

Bytes operands_piled_up(const Recipe& recipe) {
  const std::size_t count = bound("operands") - 8;
  Bytes unit = loads(count);
  put(unit, repeated(count - 1, {op::i64_xor}));
  put(unit, {op::drop});
  return module_of(recipe, {.unit = unit});
}

// Types and functions that every module of values starts with: they make, pass on and take as many as a type may have.
constexpr std::uint8_t kNone = 0, kMakes = 1, kPasses = 2, kTakes = 3;
constexpr std::uint8_t kValueShapesMake = 0, kPass = 1, kTake = 2;

ModuleWriter carriers() {
  ModuleWriter module;
  const Bytes values(carried_max(), code_i64);
  module.add_type({}, {});
  module.add_type({}, values);
  module.add_type(values, values);
  module.add_type(values, {});
  module.add_memory(1);
  module.add(ModuleWriter::tables, {code_funcref, 0, 1});
  module.add_function(kMakes, {}, loads(values.size()));
  module.add_function(kPasses, {}, {op::unreachable});
  module.add_function(kTakes, {}, {});
  return module;
}

Bytes carriers_and(const Recipe& recipe, std::uint32_t type, const Body& body) {
  ModuleWriter module = carriers();
  fill(module, recipe, type, body);
  return module.finish();
}

// The unit finds as many values on the stack as a type may have, and leaves as many.
Bytes carrying(const Recipe& recipe, const Bytes& unit, std::size_t units_max = SIZE_MAX) {
  return carriers_and(recipe, kNone,
                      {.locals = {{1, code_i32}},
                       .before = {op::call, kValueShapesMake},
                       .unit = unit,
                       .after = {op::call, kTake},
                       .units_max = units_max});
}

std::size_t blocks_max() { return bound("block_values") / (2 * carried_max()); }

Bytes blocks_with_values(const Recipe& recipe) { return carrying(recipe, {op::block, kPasses, op::end}, blocks_max()); }
Bytes loops_with_values(const Recipe& recipe) { return carrying(recipe, {op::loop, kPasses, op::end}, blocks_max()); }
Bytes ifs_with_values(const Recipe& recipe) {
  return carrying(recipe, {op::local_get, 0, op::if_, kPasses, op::else_, op::end}, blocks_max());
}

Bytes branches_with_values(const Recipe& recipe) {
  return carriers_and(recipe, kNone,
                      {.locals = {{1, code_i32}},
                       .before = {op::call, kValueShapesMake, op::block, kPasses},
                       .unit = {op::local_get, 0, op::br_if, 0},
                       .after = {op::end, op::call, kTake}});
}

Bytes branch_tables_with_values(const Recipe& recipe) {
  const std::size_t depth = std::min<std::size_t>(bound("nesting") - 1, blocks_max());
  Bytes unit = repeated(depth, {op::block, kMakes});
  put(unit, {op::call, kValueShapesMake, op::local_get, 0, op::br_table});
  append_unsigned(unit, depth - 1);
  for (std::size_t target = 0; target < depth; ++target) append_unsigned(unit, target);
  put(unit, repeated(depth, {op::end}));
  put(unit, {op::call, kTake});
  return carriers_and(recipe, kNone, {.locals = {{1, code_i32}}, .unit = unit, .units_max = blocks_max() / depth});
}

Bytes repeated_branch_tables_with_values(const Recipe& recipe) {
  const std::size_t targets = bound("branch_targets") - 1;
  Bytes unit{op::block, kMakes, op::call, kValueShapesMake, op::local_get, 0, op::br_table};
  append_unsigned(unit, targets);
  put(unit, Bytes(targets + 1, 0));
  put(unit, {op::end, op::call, kTake});
  return carriers_and(recipe, kNone, {.locals = {{1, code_i32}}, .unit = unit, .units_max = 1});
}

Bytes calls_with_values(const Recipe& recipe) { return carrying(recipe, {op::call, kPass}); }
Bytes indirect_calls_with_values(const Recipe& recipe) {
  return carrying(recipe, {op::i32_const, 0, op::call_indirect, kPasses, 0});
}

Bytes calls_that_make_values(const Recipe& recipe) {
  Bytes unit{op::block, op::empty};
  put(unit, repeated(bound("operands") / carried_max() - 1, {op::call, kValueShapesMake}));
  put(unit, {op::br, 0, op::end});
  return carriers_and(recipe, kNone, {.unit = unit});
}

Bytes returns_with_values(const Recipe& recipe) {
  return carriers_and(recipe, kMakes,
                      {.locals = {{1, code_i32}},
                       .unit = {op::local_get, 0, op::if_, op::empty, op::call, kValueShapesMake, op::return_, op::end},
                       .after = {op::call, kValueShapesMake}});
}

}  // namespace

const std::vector<Shape>& value_shapes() {
  static const std::vector<Shape> shapes{
      {"all locals live across ifs", all_locals_across_ifs},
      {"64 locals live across ifs", some_locals_across_ifs},
      {"16 locals live across ifs", few_locals_across_ifs},
      {"64 locals live across loops", some_locals_across_loops},
      {"16 locals live across loops", few_locals_across_loops},
      {"512 locals moved in nested loops", many_locals_moved_in_loops},
      {"64 locals moved in nested loops", some_locals_moved_in_loops},
      {"8 locals moved in nested loops", few_locals_moved_in_loops},
      {"512 locals read in nested loops", many_locals_read_in_loops},
      {"64 locals read in nested loops", some_locals_read_in_loops},
      {"operands live across ifs", operands_across_ifs},
      {"operands live across loops", operands_across_loops},
      {"operands piled up", operands_piled_up},
      {"blocks with values", blocks_with_values},
      {"loops with values", loops_with_values},
      {"ifs with values", ifs_with_values},
      {"br_ifs with values", branches_with_values},
      {"br_tables with values", branch_tables_with_values},
      {"br_tables with values, one target", repeated_branch_tables_with_values},
      {"calls with values", calls_with_values},
      {"indirect calls with values", indirect_calls_with_values},
      {"calls that make values", calls_that_make_values},
      {"returns with values", returns_with_values},
  };
  return shapes;
}

}  // namespace petri::bench
