// How a guest that behaves fares beside many that do not.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark burner_neighbour_p99_ms();
Benchmark sleeper_neighbour_p99_ms();
Benchmark compile_bomb_neighbour_p99_ms();

}  // namespace petri::bench
