// The cost of a call of a live instance.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark call_compiled_ns();
Benchmark call_interpreted_ns();

}  // namespace petri::bench
