// What it costs to ask whether a guest may, and to refuse what was refused before.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark permission_check_ns();
Benchmark refuse_again_us();

}  // namespace petri::bench
