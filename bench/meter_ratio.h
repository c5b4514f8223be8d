// The cost of petri's meter, compared with the engines' own.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark meter_ratio_compiled();
Benchmark meter_ratio_interpreted();
// Recursion apart: it pays for the call depth too.
Benchmark meter_ratio_recursion_compiled();
Benchmark meter_ratio_recursion_interpreted();

}  // namespace petri::bench
