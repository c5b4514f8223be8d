// A long chain of modules, each of which imports from the one before.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark chain_reload_growth();

}  // namespace petri::bench
