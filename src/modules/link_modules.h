// Modules of one sandbox that import one another's functions become one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "modules/dependency_graph.h"
#include "petri/result.h"
#include "process/instance/module_code.h"

namespace petri {

// The code of a module by itself, or nothing when there is none of this name.
using ModuleFinder = std::function<ModuleCodePtr(std::string_view name)>;

// The names of the modules that it imports from, once each.
std::vector<std::string> imported_modules(const ModuleCode& code);

// link_error, naming the import, when a module it imports from or a function of it is missing, or of another type; only
// its own imports are looked at.
Result<void> check_imports(const std::string& name, const ModuleFinder& find);

// The module together with all it needs; itself when it needs none. link_error, naming the import, when a module or a
// function of it is missing, or of another type; circular_dependency, naming the ring.
Result<ModuleCodePtr> link_modules(const std::string& name, const ModuleFinder& find);

}  // namespace petri
