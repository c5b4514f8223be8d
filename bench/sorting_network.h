// How long evolution takes to a known optimum, as the demo does it.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark sorting_network_seconds();

}  // namespace petri::bench
