// The aftermath of a crash that was answered: a decision, and a restart or none.
#pragma once

#include "base/clock.h"
#include "process/process.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/recovery/decisions.h"
#include "sandbox/reload/reload_host.h"
#include "sandbox/standing.h"

namespace petri {

// A verb that comes after the answer waits for it, so that its result does not depend on how soon it comes. Any thread
// that is not needed to start a process; it holds no lock.
struct CrashAftermath {
  const Standing& standing;
  const ReloadHost& trees;
  const ProcessTable& processes;
  ProcessOwner& owner;
  Decisions& decisions;

  // Or until that time of the machine's clock.
  void wait(Clock::TimePoint deadline) const;
};

}  // namespace petri
