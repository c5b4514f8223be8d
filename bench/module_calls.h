// A call from one module of a sandbox into another.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark module_call_compiled_ns();
Benchmark module_call_interpreted_ns();

}  // namespace petri::bench
