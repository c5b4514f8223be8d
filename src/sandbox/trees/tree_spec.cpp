#include "sandbox/trees/tree_spec.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace petri {

SupervisorSpec default_tree(const std::vector<std::string>& modules, const DependencyGraph& imports) {
  std::set<std::string_view> imported;
  for (const auto& [module, needed] : imports) imported.insert(needed.begin(), needed.end());
  SupervisorSpec tree;
  for (const std::string& module : modules) {
    if (!imported.contains(module)) tree.children.emplace_back(ChildSpec{.id = module, .module = module});
  }
  return tree;
}

SupervisorSpec TreeSpec::spec_now() const {
  return given_ != nullptr ? *given_ : default_tree(sources_.names(), table_.graph());
}

SupervisorSpec TreeSpec::spec() const {
  MutexLock lock(mutex_);
  return spec_now();
}

void TreeSpec::set(const SupervisorSpec& spec) {
  auto given = std::make_unique<SupervisorSpec>(spec);
  MutexLock lock(mutex_);
  given_ = std::move(given);
}

void TreeSpec::pin() {
  MutexLock lock(mutex_);
  if (given_ == nullptr) given_ = std::make_unique<SupervisorSpec>(spec_now());
}

// The tree of before, for after the commit the table says something else.
Result<void> TreeSpec::commit(ModuleChanges& changes, const ModuleTable::Commit& commit) {
  const bool imports = std::ranges::any_of(changes, [](const ModuleChange& change) {
    return change.module_switch != nullptr && !change.to->from_modules.empty();
  });
  MutexLock lock(mutex_);
  std::unique_ptr<SupervisorSpec> before;
  if (imports && given_ == nullptr) before = std::make_unique<SupervisorSpec>(spec_now());
  PETRI_TRY(table_.commit(changes, commit));
  if (before != nullptr) given_ = std::move(before);
  return {};
}

}  // namespace petri
