// Mathematics that is the same to the bit everywhere: the engines bring it along.
#include "engine/engine_tables.h"
#include "host/functions/families.h"

namespace petri {

HostFamily math_functions_offered() {
  HostFamily family;
  for (const MathFunction& math : math_functions()) {  // bounded: those there are
    HostFunction function{
        .module = "math",
        .name = std::string(math.name),
        .signature = {.params = std::vector(math.params, ValueType::f64), .results = {ValueType::f64}}};
    function.import = {.callback = nullptr, .data = nullptr, .fuel = math.fuel, .intrinsic = math.intrinsic};
    family.push_back(std::move(function));
  }
  return family;
}

}  // namespace petri
