#include "bench/shapes/opcodes.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

// A chain: each operator takes what the one before has left, and the last value is returned, so that nothing is idle.
Bytes chain(const Recipe& recipe, ValueCode type, const Bytes& unit) {
  ModuleWriter module;
  const std::uint32_t number = module.add_type({type}, {type});
  module.add_memory(1);
  fill(module, recipe, number, {.before = {op::local_get, 0}, .unit = unit});
  return module.finish();
}

Bytes square_roots(const Recipe& recipe) { return chain(recipe, code_f64, {op::f64_sqrt}); }
Bytes conversions(const Recipe& recipe) { return chain(recipe, code_f64, {op::f32_demote_f64, op::f64_promote_f32}); }
Bytes minimums(const Recipe& recipe) { return chain(recipe, code_f64, {op::local_get, 0, op::f64_min}); }
Bytes float_sums(const Recipe& recipe) { return chain(recipe, code_f64, {op::local_get, 0, op::f64_add}); }
Bytes popcounts(const Recipe& recipe) { return chain(recipe, code_i64, {op::i64_popcnt}); }
Bytes comparisons(const Recipe& recipe) { return chain(recipe, code_i64, {op::i64_eqz, op::i64_extend_i32_u}); }
Bytes divisions(const Recipe& recipe) { return chain(recipe, code_i64, {op::local_get, 0, op::i64_div_s}); }
Bytes remainders(const Recipe& recipe) { return chain(recipe, code_i64, {op::i64_const, 63, op::i64_rem_s}); }
Bytes sums_with_a_constant(const Recipe& recipe) { return chain(recipe, code_i64, {op::i64_const, 2, op::i64_add}); }
Bytes differences(const Recipe& recipe) { return chain(recipe, code_i64, {op::i64_const, 0x7f, op::i64_sub}); }
Bytes rotations(const Recipe& recipe) {
  return chain(recipe, code_i64, {op::local_tee, 0, op::local_get, 0, op::i64_rotl});
}
Bytes truncations(const Recipe& recipe) {
  return chain(recipe, code_f64, {op::i64_trunc_f64_u, op::f64_convert_i64_u});
}
Bytes saturating_truncations(const Recipe& recipe) {
  return chain(recipe, code_f64, {op::prefix_fc, op::i64_trunc_sat_f64_u, op::f64_convert_i64_u});
}
Bytes selects(const Recipe& recipe) {
  return chain(recipe, code_i32, {op::local_get, 0, op::local_get, 0, op::select});
}
Bytes load_chain(const Recipe& recipe) { return chain(recipe, code_i32, {op::i32_load, 0, 0}); }

Bytes stores(const Recipe& recipe) {
  return module_of(recipe, {.locals = {{1, code_i32}, {1, code_i64}},
                            .unit = {op::local_get, 0, op::local_get, 1, op::i64_store, 0, 0}});
}

Bytes fills(const Recipe& recipe) {
  return module_of(recipe,
                   {.locals = {{1, code_i32}},
                    .unit = {op::local_get, 0, op::local_get, 0, op::local_get, 0, op::prefix_fc, op::memory_fill, 0}});
}

Bytes copies(const Recipe& recipe) {
  return module_of(
      recipe, {.locals = {{1, code_i32}},
               .unit = {op::local_get, 0, op::local_get, 0, op::local_get, 0, op::prefix_fc, op::memory_copy, 0, 0}});
}

Bytes growth(const Recipe& recipe) { return chain(recipe, code_i32, {op::memory_grow, 0}); }

// A chain in a module with a table.
Bytes table_chain(const Recipe& recipe, const Bytes& unit) {
  ModuleWriter module;
  const std::uint32_t number = module.add_type({code_i32}, {code_i32});
  module.add(ModuleWriter::tables, {code_funcref, 0, 4});
  fill(module, recipe, number, {.before = {op::local_get, 0}, .unit = unit});
  return module.finish();
}

Bytes table_reads(const Recipe& recipe) { return table_chain(recipe, {op::table_get, 0, op::ref_is_null}); }
Bytes table_moves(const Recipe& recipe) {
  return table_chain(recipe, {op::local_get, 0, op::table_get, 0, op::table_set, 0, op::local_get, 0});
}
Bytes table_copies(const Recipe& recipe) {
  return table_chain(recipe,
                     {op::local_get, 0, op::local_get, 0, op::prefix_fc, op::table_copy, 0, 0, op::local_get, 0});
}
Bytes table_growth(const Recipe& recipe) {
  return table_chain(
      recipe, {op::local_set, 0, op::ref_null, code_funcref, op::local_get, 0, op::prefix_fc, op::table_grow, 0});
}
Bytes table_fills(const Recipe& recipe) {
  return table_chain(
      recipe, {op::ref_null, code_funcref, op::local_get, 0, op::prefix_fc, op::table_fill, 0, op::local_get, 0});
}

Bytes calls(const Recipe& recipe) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {});
  module.add_function(type, {}, {});
  fill(module, recipe, type, {.unit = {op::call, 0}});
  return module.finish();
}

Bytes calls_of_one_number(const Recipe& recipe) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({code_i32}, {code_i32});
  const std::uint32_t caller = module.add_type({}, {});
  module.add_function(type, {}, {op::local_get, 0});
  fill(module, recipe, caller, {.before = {op::i32_const, 0}, .unit = {op::call, 0}, .after = {op::drop}});
  return module.finish();
}

Bytes recursive_calls(const Recipe& recipe) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {});
  fill(module, recipe, type, {.unit = {op::call, 0}});
  return module.finish();
}

Bytes indirect_calls(const Recipe& recipe) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {code_i32});
  module.add(ModuleWriter::tables, {code_funcref, 0, 1});
  fill(module, recipe, type, {.before = {op::i32_const, 0}, .unit = {op::call_indirect, 0, 0}});
  return module.finish();
}

Bytes globals_moved(const Recipe& recipe) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {});
  for (int i = 0; i < 2; ++i) module.add(ModuleWriter::globals, {code_i64, 1, op::i64_const, 0, op::end});
  fill(module, recipe, type, {.unit = {op::global_get, 0, op::global_set, 1}});
  return module.finish();
}

}  // namespace

const std::vector<Shape>& operator_shapes() {
  static const std::vector<Shape> shapes{
      {"f64.sqrt", square_roots},
      {"f32.demote and f64.promote", conversions},
      {"f64.min", minimums},
      {"f64.add", float_sums},
      {"i64.popcnt", popcounts},
      {"i64.eqz", comparisons},
      {"i64.div_s", divisions},
      {"i64.rem_s of a constant", remainders},
      {"i64.add of a constant", sums_with_a_constant},
      {"i64.sub of a constant", differences},
      {"i64.rotl", rotations},
      {"i64.trunc_f64_u", truncations},
      {"i64.trunc_sat_f64_u", saturating_truncations},
      {"select", selects},
      {"i32.load", load_chain},
      {"i64.store", stores},
      {"memory.fill", fills},
      {"memory.copy", copies},
      {"memory.grow", growth},
      {"table.get", table_reads},
      {"table.get and table.set", table_moves},
      {"table.copy", table_copies},
      {"table.grow", table_growth},
      {"table.fill", table_fills},
      {"calls", calls},
      {"calls of (i32) -> i32", calls_of_one_number},
      {"recursive calls", recursive_calls},
      {"indirect calls", indirect_calls},
      {"globals", globals_moved},
  };
  return shapes;
}

}  // namespace petri::bench
