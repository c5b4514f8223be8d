// The cost of compiling modules in another process.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark worker_load_us();
Benchmark worker_start_ms();

}  // namespace petri::bench
