// The verbs snapshot and restore: a sandbox as it stands, kept, and brought back into it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "petri/snapshot.h"
#include "sandbox/reload/reloads.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/trees/trees.h"

namespace petri {

// A snapshot is of one moment: every process is quiescent while it is taken. To restore one is a Reload that replaces
// the state of all processes. It has no state of its own. Any thread; a deadlock is refused.
class Snapshots {
 public:
  // All of one sandbox; it outlives this.
  struct Parts {
    Trees& trees;
    const TreeSpec& spec;
    const std::shared_ptr<TreeAccount>& account;
    ProcessTable& processes;
    Reloads::Parts code;
  };
  explicit Snapshots(const Parts& parts) : parts_(parts), reloads_(parts.code) {}

  Result<Snapshot> snapshot() const;
  Result<void> restore(const Snapshot& snapshot, const RestoreOptions& options) const;

  // ---- for others that keep processes; those are taken meanwhile

  // Everything but the processes.
  std::shared_ptr<SnapshotData> without_processes() const;
  // The knowledge of a process, in the instance it has or in one that is to take its place.
  Result<SavedProcess> save(const Process& process, const LiveInstance& live, const std::string& module) const;

 private:
  std::vector<SavedChild> saved_children(const TreeRunner& tree) const;
  Result<void> check_same_processes(const SnapshotData& data) const;
  Result<ModuleChanges> changes_to(const SnapshotData& data, const std::function<void(Process&)>& also) const;

  const Parts parts_;
  const Reloads reloads_;
};

}  // namespace petri
