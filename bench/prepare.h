// What it costs to check, meter and describe a module.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark prepare_us();

}  // namespace petri::bench
