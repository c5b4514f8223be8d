// The cost of publishing events that nobody subscribed to.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark event_unheard_ns();

}  // namespace petri::bench
