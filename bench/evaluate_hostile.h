// The cost of hostile candidates for the honest ones.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark evaluate_hostile_percent();

}  // namespace petri::bench
