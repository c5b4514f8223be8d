// The sources of the modules that a sandbox is created with.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "petri/sandbox.h"
#include "process/process_services.h"
#include "sandbox/code/failed_sources.h"
#include "sandbox/code/module_gate.h"
#include "sandbox/journal/journal.h"
#include "sandbox/versions/module_table.h"

namespace petri {

class TreeSpec;

// They are kept until the modules are loaded, for a sandbox whose start fails may be started again; those of failed
// ones are on the account, and go when other failed sandboxes of the runtime need the room (FailedSources). The names
// stay. Any thread; its lock is held for moments, and no code is loaded under it.
class ModuleSources {
 public:
  // All of it outlives the sources.
  struct Parts {
    ProcessServices& services;
    FailedSources& failed;
    ModuleTable& table;
    Journal& journal;
  };
  ModuleSources(const Parts& parts, std::vector<ModuleSpec> sources);

  // In the order of the spec.
  const std::vector<std::string>& names() const { return names_; }
  // Without their source once that was dropped.
  std::shared_ptr<const std::vector<ModuleSpec>> all() const EXCLUDES(mutex_);

  // Through the gate into the table, before anything runs. Whoever calls it has the turn.
  Result<void> load(const ModuleGate& gate, TreeSpec& tree) EXCLUDES(mutex_);
  // Looks whether what is in the table can be linked. If not, nothing stays there: a restart loads it again.
  Result<void> link(TreeSpec& tree, WayIn way);
  // Other code for those of these names, when what there was has failed.
  void replace(const std::vector<ModuleSpec>& modules) EXCLUDES(mutex_);
  // They are in the table, or come from elsewhere.
  void drop() EXCLUDES(mutex_);
  // The sandbox is destroyed.
  void forget() EXCLUDES(mutex_);

 private:
  Result<void> load_all(const std::vector<ModuleSpec>& sources, const ModuleGate& gate);
  void keep_failed() EXCLUDES(mutex_);

  const Parts parts_;
  const std::vector<std::string> names_;
  mutable Mutex mutex_;
  std::shared_ptr<const std::vector<ModuleSpec>> sources_ GUARDED_BY(mutex_);  // nullptr once they were dropped
  std::uint64_t failed_bytes_ GUARDED_BY(mutex_) = 0;                          // of sources that failed, on the account
};

}  // namespace petri
