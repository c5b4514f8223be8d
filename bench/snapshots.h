// The cost of taking a snapshot of a sandbox, of restoring it, and of forking.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark snapshot_us();
Benchmark restore_us();
Benchmark fork_us();
Benchmark fork_1mib_us();

}  // namespace petri::bench
