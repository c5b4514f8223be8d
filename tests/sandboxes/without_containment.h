// For tests that break limits on purpose, again and again: no breaker, no quarantine.
#pragma once

#include "petri/runtime.h"

namespace petri {

inline RuntimeOptions without_containment(RuntimeOptions options = {.workers = 2}) {
  options.quarantine.limits_max = 0;
  options.breaker.limits_max = 0;
  return options;
}

}  // namespace petri
