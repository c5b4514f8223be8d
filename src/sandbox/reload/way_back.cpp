#include "sandbox/reload/way_back.h"

namespace petri {

std::vector<std::string> switched_together(const ModuleTable& modules, const std::string& module) {
  std::vector<std::string> names{module};
  if (const auto last = modules.last_switch_of(module)) {
    for (const auto& [name, snapshot] : *last) {
      if (name != module) names.push_back(name);
    }
  }
  return names;
}

Result<ModuleChanges> changes_back_to(const ModuleTable& modules, const SwitchSnapshots& snapshots) {
  ModuleChanges changes;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(ModuleChange back, modules.change_to_kept(name, snapshot->from(), {}));
    back.kind = ReplaceState{.snapshot = snapshot};
    changes.push_back(std::move(back));
  }
  return changes;
}

}  // namespace petri
