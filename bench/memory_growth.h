// The memory that a million short-lived candidates leave behind.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

// To be run before the others: it wants a process that has done nothing yet.
Benchmark million_modules_growth_mib();

}  // namespace petri::bench
