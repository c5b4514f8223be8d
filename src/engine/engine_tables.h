// The engines' tables: what people read in documents, and the functions the engines bring along.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace petri {

struct EngineBound {
  std::string_view name;
  std::string_view what;
  std::uint64_t candidate = 0, program = 0;  // the most in either set
};
std::vector<EngineBound> engine_bounds();

struct FuelRule {
  std::string_view what;
  std::string_view cost;
};
std::uint32_t fuel_table_version();
std::vector<FuelRule> fuel_rules();

// Names and versions of both engines, for reports.
std::string_view engine_versions();

// A function of import module `math`: f64 parameters, one f64 result. `intrinsic` is what HostImport names it by.
struct MathFunction {
  std::string_view name;
  std::uint32_t params = 1;
  std::uint32_t fuel = 0;
  std::uint32_t intrinsic = 0;
};
std::vector<MathFunction> math_functions();

}  // namespace petri
