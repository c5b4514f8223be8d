// The time from source code to a module that has answered one call.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark compile_c_cold_ms();
Benchmark compile_c_warm_ms();
Benchmark compile_cached_ms();
Benchmark compile_cpp_warm_ms();
Benchmark compile_wat_us();
Benchmark compile_c_per_second();

}  // namespace petri::bench
