// How many short-lived candidates an evaluation gets through.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark evaluate_per_second();
Benchmark evaluate_json_per_second();
Benchmark evaluate_straight_per_second();
// The speed divided by that of the bare engine on the same modules.
Benchmark evaluate_ratio();
Benchmark evaluate_straight_ratio();
Benchmark evaluate_wat_per_second();
Benchmark evaluate_scaling();
Benchmark receipt_overhead_percent();

}  // namespace petri::bench
