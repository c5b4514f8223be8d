// The cost of batches, of collections, and of events that nobody listens to.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark batch_create_thousand_ms();
Benchmark batch_reload_thousand_ms();
Benchmark gc_cycle_ms();
Benchmark observer_off_percent();

}  // namespace petri::bench
