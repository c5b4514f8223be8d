// A restart after which processes continue with what they knew.
#pragma once

#include <memory>
#include <string>

#include "sandbox/snapshots/snapshots.h"

namespace petri {

// The state of processes crosses to another instance of the same code, as it would in a reload, and is kept as a
// snapshot from which the sandbox then starts. It has no state of its own.
class StateRestart {
 public:
  explicit StateRestart(const Snapshots::Parts& parts) : parts_(parts.code), snapshots_(parts) {}

  // rejected unless the sandbox runs: else it has no state that could be kept.
  Result<void> must_have_state() const;
  // All that can fail happens beside what runs. Afterwards all processes are frozen, and nobody takes another message:
  // what it did would be forgotten. cancelled when the sandbox is being ended. The modules are claimed.
  Result<std::shared_ptr<const SnapshotData>> keep(const StructuralControl::Turn& turn) const;

 private:
  Result<std::shared_ptr<const SnapshotData>> try_keep(const std::stop_token& stop) const;
  Result<std::unique_ptr<ModuleSwitch>> switch_to_itself(const std::string& module) const;
  Result<SavedProcess> carry_over(ModuleSwitch& to_itself, Process& process, Clock::TimePoint deadline) const;

  const Reloads::Parts parts_;
  const Snapshots snapshots_;
};

}  // namespace petri
