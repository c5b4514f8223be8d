// The way back from the last switch of a module, with those that were switched together with it.
#pragma once

#include <string>
#include <vector>

#include "sandbox/versions/module_table.h"

namespace petri {

// The module, and those it would be rolled back with: their processes are the same.
std::vector<std::string> switched_together(const ModuleTable& modules, const std::string& module);

// To the versions that modules had before they were switched together, with what their processes knew then. The modules
// are claimed.
Result<ModuleChanges> changes_back_to(const ModuleTable& modules, const SwitchSnapshots& snapshots);

}  // namespace petri
