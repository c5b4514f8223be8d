// What it costs to keep a sandbox as it stands, to bring it back, and to make another of it.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark snapshot_us();
Benchmark restore_us();
Benchmark fork_us();
Benchmark fork_1mib_us();

}  // namespace petri::bench
