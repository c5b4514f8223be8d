// The cost of hostile sandboxes for the honest ones beside them.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark hostile_honest_percent();

}  // namespace petri::bench
