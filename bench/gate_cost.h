// The cost of the most expensive modules that are accepted, compared with ordinary ones.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark gate_cost_ratio_interpreted();
Benchmark gate_cost_ratio_compiled();

}  // namespace petri::bench
