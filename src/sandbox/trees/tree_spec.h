// The children that the tree of a sandbox has.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "petri/tree.h"
#include "sandbox/code/module_sources.h"
#include "sandbox/versions/module_table.h"

namespace petri {

// The tree of a sandbox whose spec has none: a permanent child for each module that no other imports.
SupervisorSpec default_tree(const std::vector<std::string>& modules, const DependencyGraph& imports);

// As given, or the default tree of the modules that the sandbox was created with. A default tree does not follow the
// modules when they start to import from one another: it stays as it was then. Any thread; its lock is held for
// moments, before those of the sources and of the module table.
class TreeSpec {
 public:
  // Sources and table outlive it.
  TreeSpec(std::optional<SupervisorSpec> given, const ModuleSources& sources, ModuleTable& table)
      : sources_(sources),
        table_(table),
        given_(given ? std::make_unique<SupervisorSpec>(*std::move(given)) : nullptr) {}

  SupervisorSpec spec() const EXCLUDES(mutex_);
  void set(const SupervisorSpec& spec) EXCLUDES(mutex_);
  // From now on it follows the modules no more.
  void pin() EXCLUDES(mutex_);
  // ModuleTable::commit(); whoever asks for the spec meanwhile never sees a default tree that has followed the change.
  Result<void> commit(ModuleChanges& changes, const ModuleTable::Commit& commit) EXCLUDES(mutex_);

 private:
  SupervisorSpec spec_now() const REQUIRES(mutex_);

  const ModuleSources& sources_;
  ModuleTable& table_;
  mutable Mutex mutex_;
  std::unique_ptr<SupervisorSpec> given_ GUARDED_BY(mutex_);  // nullptr: the default tree
};

}  // namespace petri
