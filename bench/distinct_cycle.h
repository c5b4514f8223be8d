// A distinct candidate from start to end: prepare, load, instantiate, some calls, gone.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark distinct_cycle_us();
Benchmark distinct_cycle_straight_us();
Benchmark distinct_cycles_per_second();

}  // namespace petri::bench
