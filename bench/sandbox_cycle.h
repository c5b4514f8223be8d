// The cost of creating, restarting and destroying sandboxes.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark sandbox_cycle_us();
Benchmark hundred_creates_ms();
Benchmark sandbox_restart_us();
Benchmark sandbox_destroy_us();

}  // namespace petri::bench
