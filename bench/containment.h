// The cost of asking whether a guest may run, and of refusing one that was refused before.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark permission_check_ns();
Benchmark refuse_again_us();

}  // namespace petri::bench
