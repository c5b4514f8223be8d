// One module of a change: what it has, what it will have, and what becomes of its processes meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/version_table.h"
#include "petri/reload.h"
#include "process/process.h"
#include "sandbox/module_switch.h"

namespace petri {

struct ModuleChange {
  enum class Kind : std::uint8_t {
    version,  // another version becomes active, or the state of its processes is replaced
    links,    // its version stays; what it is linked with changes
    rest,     // nothing changes, and its processes are quiescent meanwhile
  };

  std::string name;
  ModuleCodePtr from, to;
  std::uint64_t from_number = 0, to_number = 0;
  StateHints renames;
  std::optional<Version> added;                   // that the table does not have yet
  std::shared_ptr<const SwitchSnapshot> back_to;  // where state comes from
  Kind kind = Kind::version;
  std::unique_ptr<ModuleSwitch> change;  // none: there is nothing to do but to be quiescent
  bool links_later = false;              // nobody runs it: it is linked for the first who does
  std::string lead;                      // the module that answers for it in a trial: itself or another
  ProcessPtr alone;                      // none: all of its processes
  std::shared_ptr<TrialPeriod> trial;
  std::vector<ProcessSwitch> switched;
  std::optional<StatePlan> plan;

  bool changes() const { return by_itself(to) != by_itself(from) || back_to != nullptr; }
  bool takes_part() const { return change != nullptr || kind == Kind::rest; }
  bool only_links() const { return kind == Kind::links; }
};
using ModuleChanges = std::vector<ModuleChange>;

// Nothing changes in these modules, and their processes are quiescent.
inline ModuleChanges rest_of(std::vector<std::string> modules) {
  ModuleChanges changes;
  for (std::string& module : modules) {
    ModuleChange& change = changes.emplace_back();
    change.name = std::move(module);
    change.kind = ModuleChange::Kind::rest;
  }
  return changes;
}

// An error about the code of this module.
inline Error of_module(std::string_view module, Error error) {
  error.message = "the module " + std::string(module) + ": " + error.message;
  return std::move(error).with("module", std::string(module));
}

}  // namespace petri
