// How late a deadline is seen.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark deadline_overshoot_compiled_ms();
Benchmark deadline_overshoot_interpreted_ms();

}  // namespace petri::bench
