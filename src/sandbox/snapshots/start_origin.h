// The origin of a sandbox that does not start afresh.
#pragma once

#include <string_view>

#include "sandbox/code/way_in.h"
#include "sandbox/versions/module_table.h"
#include "supervisor/supervisor_actions.h"

namespace petri {

// Lives for one start of the sandbox, on the thread that has the structural turn; start() and knows() are asked on
// those that start processes. An ordinary start has none.
class StartOrigin {
 public:
  virtual ~StartOrigin() = default;
  virtual WayIn way() const = 0;
  // Puts the modules into the table, in place of the sources of the sandbox. Only when it is created.
  virtual Result<void> load() = 0;
  // True if this process continues from something; else it starts as its module does. For moments, under a lock.
  virtual bool knows(std::string_view process, std::string_view module) const = 0;
  virtual Result<Outcome> start(Process& process, Incarnation incarnation, const ModuleTable::Active& code,
                                std::string_view input) = 0;
  // The tree of the spec runs: starts what else was there, and lets all continue. After a failure nothing continues.
  virtual Result<void> complete() = 0;
};

}  // namespace petri
