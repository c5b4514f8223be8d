// For tests of whole sandboxes that hold whatever runs the code: PETRI_TIER says what does. With `promoting` code
// starts interpreted, and every call may be the one after which its process is moved to compiled code.
#pragma once

#include <cstdlib>
#include <string_view>
#include <utility>

#include "petri/runtime.h"

namespace petri {

inline std::string_view tier_under_test() {
  const char* text = std::getenv("PETRI_TIER");
  return text == nullptr ? "" : text;
}

inline RuntimeOptions in_tier_under_test(RuntimeOptions options) {
  const std::string_view tier = tier_under_test();
  if (tier.empty()) return options;
  options.compile.in_process = true;  // what the worker does has tests of its own
  if (tier == "promoting") {
    options.defaults.tier = Tier::automatic;
    options.promote_fuel = 1;
    options.promote_fuel_per_byte = 0;
    options.promote_instances = 1;
  } else {
    options.defaults.tier = *tier_named(tier);
  }
  return options;
}

// The tier that a spec which must name one is to name.
inline Tier tier_under_test_or(Tier otherwise) {
  const std::string_view tier = tier_under_test();
  if (tier.empty()) return otherwise;
  return tier == "promoting" ? Tier::automatic : *tier_named(tier);
}

}  // namespace petri
