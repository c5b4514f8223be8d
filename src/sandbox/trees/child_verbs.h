// The tree of a sandbox, changed by the host while it lives.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "petri/tree.h"
#include "process/account/memory_budget.h"
#include "sandbox/journal/operation.h"
#include "sandbox/standing.h"
#include "sandbox/trees/trees.h"
#include "sandbox/versions/module_table.h"

namespace petri {

// Each verb waits until the tree has done it, and is refused as a deadlock where that waits for this very thread. Any
// thread, with no lock of the sandbox held. It has no state, and is made where it is asked for.
class ChildVerbs {
 public:
  // All of one sandbox; it outlives this.
  struct Parts {
    const std::string& sandbox;
    ProcessOwner& owner;
    const std::shared_ptr<TreeAccount>& account;
    MemoryBudget* budget;
    CurrentOperation& operation;
    const Standing& standing;
    const ModuleTable& modules;
    Trees& trees;
    TreeSpec& spec;
  };
  explicit ChildVerbs(const Parts& parts) : parts_(parts) {}

  // As Sandbox has them (petri/sandbox.h).
  Result<void> start_child(const TreeChild& child, std::string_view supervisor) const;
  Result<std::string> start_instance(const InstanceSpec& instance, std::string_view supervisor) const;
  Result<void> stop_child(std::string_view address) const;
  Result<void> restart_child(std::string_view address) const;
  Result<void> remove_child(std::string_view address) const;
  Result<void> update_tree(const SupervisorSpec& wanted) const;

 private:
  // The tree of a sandbox that runs.
  Result<Trees::RunnerPtr> tree() const;

  const Parts parts_;
};

}  // namespace petri
