#include "telemetry/metrics/threshold.h"

namespace petri {

// Reads before it writes: as a rule nothing changes, and then threads do not take the line from each other.
bool WarningLatch::should_warn(std::uint64_t used, std::uint64_t limit) {
  const bool near = is_near_limit(used, limit);
  if (warned_.load(std::memory_order_relaxed) == near) return false;
  return !warned_.exchange(near, std::memory_order_relaxed) && near;
}

}  // namespace petri
