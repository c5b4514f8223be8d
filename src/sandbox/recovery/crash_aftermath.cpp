#include "sandbox/recovery/crash_aftermath.h"

namespace petri {

// A tree that gives up empties the places of its children before it ends, and leaves the rest to recovery. That may
// have started since decisions were waited for: a status that is not up may be one on the way. A sandbox that outlives
// its runtime is not up and decides nothing, so nothing of the runtime is used for it.
void CrashAftermath::wait(Clock::TimePoint deadline) const {
  if (decisions.any()) decisions.wait(owner.workers(), deadline);
  if (standing.is_up()) {
    const bool some_are_down = processes.size() > owner.account().processes();
    if (some_are_down || !trees.trees_are_settled()) trees.wait_for_restarts(deadline);
  }
  if (decisions.any()) decisions.wait(owner.workers(), deadline);
}

}  // namespace petri
