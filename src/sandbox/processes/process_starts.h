// How a process starts: with which code, and with what it continues from.
#pragma once

#include <string>
#include <string_view>

#include "base/mutex.h"
#include "petri/tree.h"
#include "process/process.h"
#include "sandbox/journal/journal.h"
#include "sandbox/processes/process_ends.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/snapshots/start_origin.h"
#include "sandbox/standing.h"
#include "sandbox/switch/start_gate.h"
#include "sandbox/versions/module_table.h"
#include "supervisor/supervision_tree.h"

namespace petri {

// While modules are being switched nobody starts. Any thread; no lock is held while a guest starts, and the turn only
// by whoever starts the whole tree. The lock guards what a start continues from, and is held for moments.
class ProcessStarts {
 public:
  // All of it outlives this.
  struct Parts {
    Workers& workers;
    const Standing& standing;
    ModuleTable& modules;
    StartGate& gate;
    ProcessTable& processes;
    ProcessEnds& ends;
    Journal& journal;
  };
  ProcessStarts(const Parts& parts, const std::string& sandbox) : parts_(parts), sandbox_(sandbox) {}

  // A process of a tree, for the first time or again. Reported, also to the guest that spawned it; one that does not
  // start has ended. The outcome is `ok` when it lives.
  Result<Outcome> start(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again);

  // While this lives, processes that start for the first time and that the origin knows continue from there. nullptr:
  // an ordinary start.
  class From {
   public:
    From(ProcessStarts& starts, StartOrigin* origin) : starts_(starts) { starts_.set_origin(origin); }
    ~From() { starts_.set_origin(nullptr); }
    From(const From&) = delete;
    From& operator=(const From&) = delete;

   private:
    ProcessStarts& starts_;
  };

 private:
  Result<ModuleTable::Active> begin(std::string_view module);
  StartOrigin* origin_of(const Process& process, std::string_view module) const EXCLUDES(mutex_);
  void set_origin(StartOrigin* origin) EXCLUDES(mutex_);

  const Parts parts_;
  const std::string& sandbox_;
  mutable Mutex mutex_;
  StartOrigin* origin_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace petri
