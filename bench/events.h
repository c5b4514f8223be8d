// What it costs to tell what nobody listens to.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark event_unheard_ns();

}  // namespace petri::bench
