// The cost of loading an ordinary program.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark load_interpreted_ms_per_mib();
Benchmark load_compiled_ms_per_mib();

}  // namespace petri::bench
