#include "bench/shapes/opcodes.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

Bytes loops_in_a_row(const Recipe& recipe) { return module_of(recipe, {.unit = {op::loop, op::empty, op::end}}); }

Bytes loops_that_turn(const Recipe& recipe) {
  return module_of(recipe,
                   {.locals = {{1, code_i32}}, .unit = {op::loop, op::empty, op::local_get, 0, op::br_if, 0, op::end}});
}

Bytes blocks_in_a_row(const Recipe& recipe) { return module_of(recipe, {.unit = {op::block, op::empty, op::end}}); }

Bytes ifs_in_a_row(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}}, .unit = {op::local_get, 0, op::if_, op::empty, op::end}});
}

Bytes ifs_with_else(const Recipe& recipe) {
  return module_of(recipe,
                   {.locals = {{1, code_i32}}, .unit = {op::local_get, 0, op::if_, op::empty, op::else_, op::end}});
}

Bytes branches_in_a_row(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}}, .unit = {op::local_get, 0, op::br_if, 0}});
}

// Every branch is the end of a block of its own and the start of dead code.
Bytes blocks_that_break(const Recipe& recipe) {
  return module_of(recipe, {.unit = {op::block, op::empty, op::br, 0, op::end}});
}

// A local that changes between blocks has to be joined again behind each.
Bytes ifs_that_set_a_local(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{3, code_i32}},
                            .unit = {op::local_get, 0, op::if_, op::empty, op::local_get, 1, op::local_set, 2, op::end,
                                     op::local_get, 2, op::local_set, 0}});
}

Bytes nest(std::size_t depth, const Bytes& open, const Bytes& inside) {
  Bytes code = repeated(depth, open);
  put(code, inside);
  put(code, repeated(depth, {op::end}));
  return code;
}

Bytes deep_ifs(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}},
                            .unit = nest(bound("nesting") - 1, {op::local_get, 0, op::if_, op::empty}, {})});
}

Bytes deep_loops(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}},
                            .unit = nest(bound("nesting") / kLoopLevels - 1,
                                         {op::loop, op::empty, op::local_get, 0, op::br_if, 0}, {})});
}

// One table with all targets the gate allows to one function, going round the blocks around it.
Bytes branch_table(std::size_t blocks) {
  const std::size_t targets = bound("branch_targets") - 1;
  Bytes table{op::local_get, 0, op::br_table};
  append_unsigned(table, targets);
  for (std::size_t i = 0; i <= targets; ++i) append_unsigned(table, i * 7 % blocks);
  return nest(blocks, {op::block, op::empty}, table);
}

Bytes wide_branch_tables(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}}, .unit = branch_table(bound("nesting") - 1), .units_max = 1});
}

Bytes narrow_branch_tables(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}},
                            .unit = {op::block, op::empty, op::local_get, 0, op::br_table, 1, 0, 1, op::end},
                            .units_max = bound("branch_targets") / 2});
}

Bytes code_that_is_dead(const Recipe& recipe) {
  return module_of(recipe, {.before = {op::unreachable}, .unit = {op::block, op::empty, op::end}});
}

}  // namespace

const std::vector<Shape>& control_shapes() {
  static const std::vector<Shape> shapes{
      {"loops in a row", loops_in_a_row},        {"loops in a row that turn", loops_that_turn},
      {"blocks in a row", blocks_in_a_row},      {"ifs in a row", ifs_in_a_row},
      {"ifs with else in a row", ifs_with_else}, {"br_ifs in a row", branches_in_a_row},
      {"blocks that break", blocks_that_break},  {"ifs that set a local", ifs_that_set_a_local},
      {"ifs in each other", deep_ifs},           {"loops in each other", deep_loops},
      {"wide br_tables", wide_branch_tables},    {"narrow br_tables", narrow_branch_tables},
      {"dead blocks", code_that_is_dead},
  };
  return shapes;
}

}  // namespace petri::bench
