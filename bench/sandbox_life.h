// What it costs to create, restart and destroy sandboxes.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark sandbox_cycle_us();
Benchmark hundred_creates_ms();
Benchmark sandbox_restart_us();
Benchmark sandbox_destroy_us();

}  // namespace petri::bench
