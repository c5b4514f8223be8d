// The cost of building a module without text.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark builder_us();

}  // namespace petri::bench
