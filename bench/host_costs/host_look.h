// How long a host function may keep a guest's clock from being looked at.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark host_call_look_ms();

}  // namespace petri::bench
