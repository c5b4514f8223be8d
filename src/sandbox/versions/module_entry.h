// A module in the table of its sandbox.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/version_table.h"
#include "process/process.h"
#include "sandbox/switch/module_switch.h"

namespace petri {

// The state of processes that were switched together, by module.
using SwitchSnapshots = std::map<std::string, std::shared_ptr<const SwitchSnapshot>>;

// A process that crashed while its code was on trial, and waits to be revived.
struct Crash {
  ProcessPtr process;
  Result<Outcome> how;
};

// The history of a module. Most are never changed, and have none.
struct ModulePast {
  explicit ModulePast(VersionTable table) : versions(std::move(table)) {}
  VersionTable versions;
  std::shared_ptr<SwitchSnapshot> snapshot;  // of the last switch
  Clock::TimePoint switched;                 // when that was
  std::shared_ptr<TrialPeriod> trial;        // that started with it
  SwitchSnapshots companions;                // switched with it, and rolled back with it, to this
  bool undoing = false;                      // it is being rolled back,
  std::vector<Crash> crashed;                // for these and for all others
};

struct ModuleEntry {
  ModuleCodePtr code;  // of the active version, with all it is linked with
  std::unique_ptr<ModulePast> past;

  std::uint64_t active_number() const { return past == nullptr ? 1 : past->versions.active().number; }
};
using ModuleEntries = std::map<std::string, ModuleEntry, std::less<>>;

}  // namespace petri
