#include <algorithm>
#include <string>

#include "bench/shapes/opcodes.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

// Nothing, for functions that only have to be there.
const Bytes kNothing{op::i32_const, 0, op::drop};

Bytes sections_of(ModuleWriter::Section section, std::size_t count, const Bytes& item, const Recipe& recipe) {
  ModuleWriter module;
  module.add_memory(1);
  const std::size_t room = std::max<std::size_t>(1, hostile_bytes(recipe) / item.size());
  for (std::size_t i = 0; i < std::min(count, room); ++i) module.add(section, item);
  add_filler(module, recipe, module.size());
  return module.finish();
}

// A function for each turn of the body.
Bytes small_functions(const Recipe& recipe, const std::vector<LocalGroup>& locals, const Bytes& body) {
  ModuleWriter module;
  const std::uint32_t type = module.add_type({}, {});
  fill(module, recipe, type, {.locals = locals, .unit = body, .units_max = 1});
  return module.finish();
}

Bytes empty_functions(const Recipe& recipe) { return small_functions(recipe, {}, kNothing); }
Bytes functions_that_loop(const Recipe& recipe) { return small_functions(recipe, {}, {op::loop, op::empty, op::end}); }
Bytes functions_with_locals(const Recipe& recipe) {
  return small_functions(recipe, {{static_cast<std::uint32_t>(bound("locals")), code_i64}}, kNothing);
}
Bytes functions_with_groups_of_locals(const Recipe& recipe) {
  std::vector<LocalGroup> locals;
  for (std::size_t i = 0; i < bound("locals"); ++i) locals.push_back({1, i % 2 == 0 ? code_i64 : code_f64});
  return small_functions(recipe, locals, kNothing);
}

Bytes functions_with_parameters(const Recipe& recipe) {
  ModuleWriter module;
  const Bytes values(std::min(bound("parameters"), bound("results")), code_i64);
  const std::uint32_t type = module.add_type(values, values);
  fill(module, recipe, type, {.unit = {op::unreachable}, .units_max = 1});
  return module.finish();
}

// So many functions that `body` gives for a number.
template <typename Function>
void add_functions(ModuleWriter& module, std::size_t count, const Function& body) {
  const std::uint32_t type = module.add_type({}, {});
  for (std::size_t number = 0; number < count; ++number) module.add_function(type, {}, body(number));
}

// How many things of this many bytes there is room for.
std::size_t room_for(const Recipe& recipe, std::size_t bytes_each, std::string_view bound_name) {
  return std::clamp<std::size_t>(hostile_bytes(recipe) / bytes_each, 1, bound(bound_name));
}

Bytes exported_functions(const Recipe& recipe) {
  ModuleWriter module;
  const std::size_t count = room_for(recipe, 16, "exports");
  add_functions(module, count, [](std::size_t) { return kNothing; });
  for (std::size_t i = 0; i < count; ++i) module.add_export(std::to_string(i), static_cast<std::uint32_t>(i));
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes functions_in_a_table(const Recipe& recipe) {
  ModuleWriter module;
  const std::size_t count = room_for(recipe, 9, "elements");
  add_functions(module, count, [](std::size_t) { return kNothing; });
  add_table(module, count);
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes functions_that_call_the_next(const Recipe& recipe) {
  ModuleWriter module;
  const std::size_t count = room_for(recipe, 7, "functions");
  add_functions(module, count, [count](std::size_t number) {
    Bytes body{op::call};
    append_unsigned(body, (number + 1) % count);
    return body;
  });
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes small_types(const Recipe& recipe) {
  return sections_of(ModuleWriter::types, bound("types") - 1, {0x60, 0, 0}, recipe);
}

Bytes different_types(const Recipe& recipe) {
  ModuleWriter module;
  for (std::size_t i = 0; i + 1 < bound("types") && module.size() < hostile_bytes(recipe); ++i) {
    Bytes params;
    for (std::size_t bits = i + 1; bits > 0; bits /= 4)
      params.push_back(static_cast<std::uint8_t>(code_f64 + bits % 4));
    module.add_type(params, {});
  }
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes constant_globals(const Recipe& recipe) {
  return sections_of(ModuleWriter::globals, bound("globals"), {code_i32, 0, op::i32_const, 0, op::end}, recipe);
}
Bytes mutable_globals(const Recipe& recipe) {
  return sections_of(ModuleWriter::globals, bound("globals"), {code_i32, 1, op::i32_const, 0, op::end}, recipe);
}

Bytes exports_of_one_function(const Recipe& recipe) {
  ModuleWriter module;
  add_functions(module, 1, [](std::size_t) { return kNothing; });
  for (std::size_t i = 0; i < bound("exports") && module.size() < hostile_bytes(recipe); ++i) {
    module.add_export(std::to_string(i), 0);
  }
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes imports_of_one_function(const Recipe& recipe) {
  ModuleWriter module;
  module.add_type({code_i32}, {});
  Bytes import;
  append_text(import, "petri");
  append_text(import, "exit");
  put(import, {0, 0});
  for (std::size_t i = 0; i < bound("imports") && module.size() < hostile_bytes(recipe); ++i)
    module.add(ModuleWriter::imports, import);
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes active_data(const Recipe& recipe) {
  return sections_of(ModuleWriter::data, bound("data_segments"), {0, op::i32_const, 0, op::end, 0}, recipe);
}
Bytes passive_data(const Recipe& recipe) {
  return sections_of(ModuleWriter::data, bound("data_segments"), {1, 0}, recipe);
}
Bytes passive_elements(const Recipe& recipe) {
  return sections_of(ModuleWriter::elements, bound("element_segments"), {1, 0, 0}, recipe);
}

Bytes entries_of_one_function(const Recipe& recipe, unsigned flags, unsigned kind, const Bytes& entry) {
  ModuleWriter module;
  const std::size_t count = std::min<std::size_t>(bound("elements"), hostile_bytes(recipe) / entry.size());
  Bytes segment;
  put(segment, {flags, kind});
  append_unsigned(segment, count);
  put(segment, repeated(count, entry));
  module.add(ModuleWriter::elements, segment);
  add_functions(module, 1, [](std::size_t) { return kNothing; });
  add_filler(module, recipe, module.size());
  return module.finish();
}

Bytes element_entries(const Recipe& recipe) { return entries_of_one_function(recipe, 1, 0, {0}); }
Bytes element_expressions(const Recipe& recipe) {
  return entries_of_one_function(recipe, 5, code_funcref, {op::ref_func, 0, op::end});
}
Bytes null_expressions(const Recipe& recipe) {
  return entries_of_one_function(recipe, 5, code_funcref, {op::ref_null, code_funcref, op::end});
}

Bytes custom_sections(const Recipe& recipe) {
  ModuleWriter module;
  add_filler(module, recipe, module.size());
  Bytes bytes = module.finish();
  while (bytes.size() < recipe.bytes) put(bytes, {0, 1, 0});
  return bytes;
}

}  // namespace

const std::vector<Shape>& section_shapes() {
  static const std::vector<Shape> shapes{
      {"small functions", empty_functions},
      {"small functions that loop", functions_that_loop},
      {"small functions with all locals", functions_with_locals},
      {"functions with groups of locals", functions_with_groups_of_locals},
      {"small functions with parameters", functions_with_parameters},
      {"small exported functions", exported_functions},
      {"small functions in a table", functions_in_a_table},
      {"small functions in a ring", functions_that_call_the_next},
      {"equal types", small_types},
      {"different types", different_types},
      {"constant globals", constant_globals},
      {"mutable globals", mutable_globals},
      {"exports of one function", exports_of_one_function},
      {"imports of one function", imports_of_one_function},
      {"active data segments", active_data},
      {"passive data segments", passive_data},
      {"passive element segments", passive_elements},
      {"element entries", element_entries},
      {"element entries as expressions", element_expressions},
      {"null element entries", null_expressions},
      {"custom sections", custom_sections},
  };
  return shapes;
}

}  // namespace petri::bench
