// The consequences of a process's end: reports, its supervisor, its parent, recovery.
#pragma once

#include <cstdint>
#include <functional>

#include "process/process.h"
#include "sandbox/journal/journal.h"
#include "sandbox/limits/containment.h"
#include "sandbox/processes/process_table.h"

namespace petri {

class RecoveryActions;
class Trees;

// Rolls new code back that crashes too soon.
class TrialHost {
 public:
  virtual ~TrialHost() = default;
  // As ProcessOwner::begin_rollback(), but for the report of the exit.
  virtual bool begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                              std::function<void()>& then) = 0;
};

// Any thread; nobody calls it with a lock of the sandbox or of the process.
class ProcessEnds {
 public:
  // All of it outlives this.
  struct Parts {
    ProcessTable& processes;
    Trees& trees;
    RecoveryActions& recovery;
    Containment& containment;
    TrialHost& trials;
    TreeAccount& account;
    Journal& journal;
  };
  explicit ProcessEnds(const Parts& parts) : parts_(parts) {}

  // It ended by itself.
  void ended(const Process& process, std::uint64_t incarnation, const Result<Outcome>& how);
  // Two steps for a process whose code is on trial: its end is reported at once, and passed to its tree when it is not
  // revived.
  void report(const Process& process, const Result<Outcome>& how);
  void pass_to_tree(const Process& process, std::uint64_t incarnation, const Result<Outcome>& how);
  // It did not start; its tree knows.
  void not_started(const Process& process, const Result<Outcome>& how);
  // Its petri_terminate ended like this.
  void terminate_ended(const Process& process, const Outcome& how);
  bool begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                      std::function<void()>& then) {
    if (!parts_.trials.begin_rollback(process, trial, how, then)) return false;
    report(process, how);
    return true;
  }

 private:
  void report_killed(const Process& process, const Outcome& how);

  const Parts parts_;
};

}  // namespace petri
