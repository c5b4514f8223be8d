// The graph of which module imports functions from which: orders, rings, who depends on whom. By name, and linear in
// the imports.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

// Each module with those it imports from, once each. A name that is no key is nobody's: it is passed over.
using DependencyGraph = std::map<std::string, std::vector<std::string>, std::less<>>;

// All modules, each after those it imports from, else by name. circular_dependency, naming the ring.
Result<std::vector<std::string>> dependency_order(const DependencyGraph& graph);
// The order for one module and what it needs; the module itself comes last.
Result<std::vector<std::string>> dependency_order(const DependencyGraph& graph, std::string_view module);

// The modules that import from one of these, or from one that does, and so on; without these themselves.
std::set<std::string> dependents_of(const DependencyGraph& graph, const std::vector<std::string>& modules);

}  // namespace petri
