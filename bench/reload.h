// What other code for live processes costs.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark swap_us();
Benchmark rollback_us();
Benchmark swap_load_interpreted_us();
Benchmark swap_load_compiled_ms();

}  // namespace petri::bench
