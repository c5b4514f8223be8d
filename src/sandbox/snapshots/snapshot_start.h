// A sandbox that starts from a snapshot: a new one, a fork, or itself when it is restarted with its state.
#pragma once

#include "sandbox/processes/process_table.h"
#include "sandbox/reload/reload_host.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/snapshots/start_origin.h"
#include "sandbox/timers/guest_timers.h"
#include "sandbox/trees/trees.h"

namespace petri {

// Its modules come in through the gate, its processes continue from their images, and children that no spec has are
// started as they are when somebody asks for them. What waits for a process waits until all of them live: of a sandbox
// that does not start nothing has been done.
class SnapshotStart final : public StartOrigin {
 public:
  // All of one sandbox; it and the origin outlive this.
  struct Parts {
    Trees& trees;
    const TreeSpec& spec;
    const std::shared_ptr<TreeAccount>& account;
    ProcessTable& processes;
    ReloadParts code;
  };
  SnapshotStart(const Parts& parts, const SnapshotOrigin& origin) : parts_(parts), origin_(origin) {}

  WayIn way() const override { return origin_.way; }
  Result<void> load() override;
  bool knows(std::string_view process, std::string_view module) const override;
  Result<Outcome> start(Process& process, Incarnation incarnation, const ModuleTable::Active& code,
                        std::string_view input) override;
  Result<void> complete() override;

 private:
  Result<void> start_child(TreeRunner& tree, const SavedChild& saved, SpawnedChildren::Where where);

  const Parts parts_;
  const SnapshotOrigin& origin_;
};

}  // namespace petri
