// The memory that millions of evaluated candidates leave behind.
#pragma once

#include <cstdint>

#include "bench/registry.h"

namespace petri::bench {

// Takes some minutes, so it is run only by name.
Benchmark ten_million_candidates_growth_mib();

// The growth with another number of candidates, in whole batches of 100,000.
Result<Measurement> measure_evaluation_growth(std::uint64_t candidates);

}  // namespace petri::bench
