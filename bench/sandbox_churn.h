// Sandboxes that are created, crash and are destroyed, very many one after another.
#pragma once

#include <cstdint>

#include "bench/registry.h"

namespace petri::bench {

// Each has an id and a module of its own. host_fault when threads, descriptors, sandboxes or artifacts are left over.
Result<Measurement> measure_sandbox_growth(std::uint64_t sandboxes);

Benchmark million_sandboxes_growth_mib();

}  // namespace petri::bench
