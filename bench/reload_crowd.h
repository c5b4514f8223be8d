// The cost of a reload where very many processes live, and while they are called.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark swap_pause_p99_ms();
Benchmark swap_ten_thousand_ms();
Benchmark reload_thousand_ms();
Benchmark reload_throughput_loss_percent();

}  // namespace petri::bench
