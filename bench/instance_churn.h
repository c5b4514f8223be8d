// Instances of a loaded module that come and go.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark churn_per_second();
Benchmark churn_scaling();

}  // namespace petri::bench
