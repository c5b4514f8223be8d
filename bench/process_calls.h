// The cost of calls, messages and restarts of a live process.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark process_call_ns();
Benchmark message_us();
Benchmark process_restart_us();

}  // namespace petri::bench
