// The check that a sandbox has room for what a snapshot brings.
#pragma once

#include "petri/limits.h"
#include "petri/result.h"
#include "sandbox/snapshots/snapshot_data.h"

namespace petri {

// limit_exceeded, naming the limit, and the process if it is about one. A snapshot may come from a sandbox that was
// allowed more, or from anywhere. The memory of instances is checked where they are made.
Result<void> check_limits(const SnapshotData& data, const SandboxLimits& limits);

}  // namespace petri
