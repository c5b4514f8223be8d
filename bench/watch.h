// How soon an edit runs that was saved in a watched folder, and what watching costs.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark watch_c_ms();
Benchmark watch_wat_ms();
Benchmark watch_idle_percent();

}  // namespace petri::bench
