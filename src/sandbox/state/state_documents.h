// The described state of processes, read and written between two messages.
#pragma once

#include <string_view>
#include <vector>

#include "petri/reload.h"
#include "petri/state.h"
#include "sandbox/recovery/crash_aftermath.h"

namespace petri {

// The verbs `state` and `update_state`. They wait for the message that the process is at, no longer than the reload
// policy waits for quiescence, and run no guest. It has no state. Any thread; a deadlock is refused.
class StateDocuments {
 public:
  // All of one sandbox; it outlives this.
  struct Parts {
    const ReloadPolicy& policy;
    ProcessOwner& owner;
    const ProcessTable& processes;
    CrashAftermath aftermath;
  };
  explicit StateDocuments(const Parts& parts) : parts_(parts) {}

  // A frozen process of an isolated sandbox can be read, too.
  Result<StateDocument> state(std::string_view process) const;
  // All updates or none.
  Result<void> update(const std::vector<StateUpdate>& updates, std::string_view process) const;

 private:
  // Calls `use` with the state of the process, which is taken meanwhile.
  template <typename T, typename Use>
  Result<T> with_state(std::string_view name, ProcessTable::Reach reach, Use use) const;

  const Parts parts_;
};

}  // namespace petri
