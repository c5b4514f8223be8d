// The cost of recording individuals in a population, and of asking for its best.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark population_query_ms();
Benchmark population_record_us();

}  // namespace petri::bench
