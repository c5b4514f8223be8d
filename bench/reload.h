// The cost of reloading the code of live processes.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark swap_us();
Benchmark rollback_us();
Benchmark swap_load_interpreted_us();
Benchmark swap_load_compiled_ms();

}  // namespace petri::bench
