// The sandbox, as a change of its code sees it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/guest_environment.h"
#include "sandbox/reload/reload_host.h"
#include "sandbox/standing.h"
#include "sandbox/structural_control.h"
#include "sandbox/trees/tree_spec.h"
#include "sandbox/trees/trees.h"

namespace petri {

// Answers what a change asks from the parts that know it, and adds nothing but the gate, which depends on permissions
// and limits as they are now. Any thread; it has no state and no lock.
class CodeHost final : public ReloadHost {
 public:
  // All of it outlives this.
  struct Parts {
    const SandboxServices& services;
    const OwnSpec& spec;
    const SandboxTraitsPtr& traits;
    GuestEnvironment& environment;
    Standing& standing;
    const StructuralControl& control;
    const Trees& trees;
    TreeSpec& tree_spec;
    Journal& journal;
    SourceNews& news;
  };
  explicit CodeHost(const Parts& parts) : parts_(parts) {}

  std::vector<ProcessPtr> processes_of(std::string_view module) const override {
    return parts_.trees.processes_of(module);
  }
  std::set<std::string> modules_with_processes() const override { return parts_.trees.modules_with_processes(); }
  bool trees_are_quiet() const override { return parts_.trees.are_quiet(); }
  bool trees_are_settled() const override { return parts_.trees.are_settled(); }
  void wait_for_restarts(Clock::TimePoint deadline) const override { parts_.trees.wait_until_quiet(deadline); }
  std::stop_token ending() const override { return parts_.control.ending(); }
  // A gate with the permissions and limits of this moment: ask again for code that comes later.
  ModuleGate gate() override;
  // Under the lock of the tree's spec, so that a snapshot never has the tree of one version and the modules of another.
  Result<void> commit(ModuleChanges& changes, const ModuleTable::Commit& commit) override;

 private:
  const Parts parts_;
};

}  // namespace petri
