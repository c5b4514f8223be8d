#include "engine/engine_tables.h"

#include "engine/wasm_text.h"
#include "petri_engine.h"

namespace petri {

std::vector<EngineBound> engine_bounds() {
  std::vector<EngineBound> bounds;
  for (std::uint32_t index = 0; index < petri_bound_count(); ++index) {
    petri_bound bound{};
    petri_bound_at(index, &bound);
    bounds.push_back({.name = to_view(bound.name),
                      .what = to_view(bound.what),
                      .candidate = bound.candidate,
                      .program = bound.program});
  }
  return bounds;
}

std::uint32_t fuel_table_version() { return petri_fuel_table_version(); }

std::vector<FuelRule> fuel_rules() {
  std::vector<FuelRule> rules;
  for (std::uint32_t index = 0; index < petri_fuel_rule_count(); ++index) {
    petri_fuel_rule rule{};
    petri_fuel_rule_at(index, &rule);
    rules.push_back({.what = to_view(rule.what), .cost = to_view(rule.cost)});
  }
  return rules;
}

std::string_view engine_versions() { return to_view(petri_engine_versions()); }

std::vector<MathFunction> math_functions() {
  std::vector<MathFunction> functions;
  for (std::uint32_t index = 0; index < petri_math_count(); ++index) {
    petri_math_info info{};
    petri_math_function(index, &info);
    functions.push_back(
        {.name = to_view(info.name), .params = info.params_count, .fuel = info.fuel, .intrinsic = index});
  }
  return functions;
}

}  // namespace petri
