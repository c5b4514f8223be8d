// The gain of promotion for candidates that run long.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark evaluate_hot_ratio();

}  // namespace petri::bench
