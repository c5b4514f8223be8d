// What it costs to publish what nobody subscribed to.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark event_unheard_ns();

}  // namespace petri::bench
