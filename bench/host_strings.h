// The cost of strings that cross between a guest and a host function.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark host_string_ns();

}  // namespace petri::bench
