// New code that crashes too soon is rolled back, with the state of before.
#pragma once

#include <functional>
#include <string>

#include "sandbox/reload/reloads.h"

namespace petri {

// The first crash within a trial starts it; processes that crash until it is done are revived with the others. It is a
// copy of references, so that a task can carry one. Any thread.
class TrialUndo {
 public:
  TrialUndo(const Reloads::Parts& parts, Decisions& decisions) : parts_(parts), decisions_(decisions) {}

  // Returns false if the process did not crash, or its trial is over, and it ends as any other. Else it waits to be
  // revived, and the caller reports its exit and calls `then`, if that was set, once the process is left.
  bool start(Process& process, const TrialPeriod& trial, const Result<Outcome>& how, std::function<void()>& then) const;

 private:
  void undo(const std::string& module) const;
  Result<void> try_undo(const std::string& module) const;

  const Reloads::Parts parts_;
  Decisions& decisions_;
};

}  // namespace petri
