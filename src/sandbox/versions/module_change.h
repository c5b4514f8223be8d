// One module of a change: what it has, what it will have, and how its processes get there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "modules/version_table.h"
#include "petri/reload.h"
#include "process/process.h"
#include "sandbox/switch/module_switch.h"

namespace petri {

// ---- the kinds of change, one type for each --------------------------------------------------------------------

// Another version becomes active, and the state of the processes crosses to it.
struct SwitchVersion {
  bool renames_given = false;  // by the caller, so that one about a field that is not there is an error
};

// The processes get the state of a snapshot, and the version that state is of, which may be the active one.
struct ReplaceState {
  std::shared_ptr<const SwitchSnapshot> snapshot;
  // Anything else that a process gets from there. Called once it has its instance, while it is taken.
  std::function<void(Process&)> also = nullptr;
};

// The version stays, and is linked with the new code of a module that it imports from. Processes keep their state,
// unless that module goes back to a snapshot that has theirs, too.
struct Relink {
  std::shared_ptr<const SwitchSnapshot> snapshot;
};

// Belongs to one Reload, on the thread that carries it out. Until it is committed the table knows nothing of it.
struct ModuleChange {
  std::string name;
  ModuleCodePtr from, to;
  std::uint64_t from_number = 0, to_number = 0;
  StateHints renames;            // of fields between the two versions
  std::optional<Version> added;  // that the table does not have yet
  std::variant<SwitchVersion, ReplaceState, Relink> kind;

  // Findings of linking (module_links.h).
  bool links_later = false;  // nobody runs it: it is linked for the first who does
  std::string lead;          // the module that answers for it in a trial: itself or another; empty: it is not linked

  // The work that planning has made; nullptr if there is nothing to do in the processes, because the version is the
  // active one.
  std::unique_ptr<ModuleSwitch> module_switch;

  bool is_relink() const { return std::holds_alternative<Relink>(kind); }
  bool replaces_state() const { return std::holds_alternative<ReplaceState>(kind); }
  // Returns false if the version asked for is the active one.
  bool is_needed() const { return to_number != from_number || !std::holds_alternative<SwitchVersion>(kind); }
  // Where the state of the processes comes from; nullptr: from themselves.
  std::shared_ptr<const SwitchSnapshot> snapshot() const {
    if (const auto* replaced = std::get_if<ReplaceState>(&kind)) return replaced->snapshot;
    if (const auto* relinked = std::get_if<Relink>(&kind)) return relinked->snapshot;
    return nullptr;
  }
  // Returns whether those that import from it are linked anew.
  bool changes() const { return by_itself(to) != by_itself(from) || snapshot() != nullptr; }
};
using ModuleChanges = std::vector<ModuleChange>;

// An error about the code of this module.
inline Error of_module(std::string_view module, Error error) {
  error.message = "the module " + std::string(module) + ": " + error.message;
  return std::move(error).with("module", std::string(module));
}

}  // namespace petri
