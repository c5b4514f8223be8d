// How the modules of a sandbox are linked with one another, as rules over its table: who needs whom, and what changes
// together.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "modules/dependency_graph.h"
#include "modules/link_modules.h"
#include "sandbox/versions/module_change.h"
#include "sandbox/versions/module_entry.h"

namespace petri {

bool has_links(const ModuleEntries& modules);
DependencyGraph graph_of(const ModuleEntries& modules);

// Fails if a module cannot be linked with what it needs. None is linked here: most modules of a long chain have no
// process, and linking all of them would take the square of their number.
Result<void> check_links(const ModuleEntries& modules);

// Code that is to be in the table, linked with what it needs of it. link_error when a module, a function or a version
// it needs is missing.
Result<ModuleCodePtr> link_with(const ModuleEntries& modules, std::string_view name, const ModuleCodePtr& code,
                                const VersionNeeds& needs);

// The needs of the version that is active.
const VersionNeeds& needs_of(const ModuleEntry& module);

// Links what the changes lead to, adds those that depend on them, and puts them in order: none before those it imports
// from. Those that nobody runs (`run` names what somebody does) and that another change imports from are linked later:
// that one tries them when it starts, and to link each of a long chain takes the square of its length.
Result<void> link_changes(const ModuleEntries& modules, ModuleChanges& changes, const std::set<std::string>& run);
// One of them that was to be linked later, for which a process has come.
Result<ModuleCodePtr> link_late(const ModuleEntries& modules, const ModuleChange& change, const ModuleChanges& changes);
// `busy` when what the changes are linked with is not what it was when they were linked.
Result<void> check_still_linked(const ModuleEntries& modules, const ModuleChanges& changes);

}  // namespace petri
