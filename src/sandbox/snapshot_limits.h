// Whether a sandbox has room for what a snapshot brings.
#pragma once

#include "petri/result.h"
#include "petri/sandbox_limits.h"
#include "sandbox/snapshot_data.h"

namespace petri {

// limit_exceeded, naming the process and the limit. A snapshot may come from a sandbox that was allowed more, or from
// anywhere. Memory is checked where instances are made.
Result<void> check_limits(const SnapshotData& data, const SandboxLimits& limits);

}  // namespace petri
