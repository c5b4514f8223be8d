// The cost of checking, metering and describing a module.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark prepare_us();

}  // namespace petri::bench
