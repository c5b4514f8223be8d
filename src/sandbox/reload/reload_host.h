// The services that a change of code needs of its sandbox.
#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/code/module_gate.h"
#include "sandbox/journal/journal.h"
#include "sandbox/switch/start_gate.h"
#include "sandbox/timers/guest_timers.h"
#include "sandbox/versions/module_table.h"

namespace petri {

// The sandbox, as a change of its code sees it. Any thread.
class ReloadHost : public GateSource {
 public:
  // The processes whose module this is, in both trees; those that are down, too. As of this moment.
  virtual std::vector<ProcessPtr> processes_of(std::string_view module) const = 0;
  // Modules that nobody runs are linked later (module_links.h).
  virtual std::set<std::string> modules_with_processes() const = 0;
  // A process that has crashed has been started again, or not: what a change reports does not depend on how soon it
  // comes.
  virtual bool trees_are_quiet() const = 0;
  // Everything that follows a crash is done; what is only being started or stopped has its time.
  virtual bool trees_are_settled() const = 0;
  // Waits until the trees are quiet, or until that time of the machine's clock. Its permit is given back meanwhile.
  virtual void wait_for_restarts(Clock::TimePoint deadline) const = 0;
  // Asked to stop when everything that runs is being ended.
  virtual std::stop_token ending() const = 0;
  // As ModuleTable::commit().
  virtual Result<void> commit(ModuleChanges& changes, const ModuleTable::Commit& commit) = 0;
};

// The parts of one sandbox that a change works on; they outlive it.
struct ReloadParts {
  ReloadHost& host;
  ProcessOwner& owner;
  ModuleTable& modules;
  GuestTimers& timers;
  Journal& journal;
  StartGate& starts;
};

}  // namespace petri
