// For tests: modules and their processes, whose code is changed without a sandbox.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/parts_fixture.h"
#include "sandbox/versions/module_versions.h"

namespace petri {

// Its processes never crash by themselves: whether trees are settled is what a test says.
class CodeFixture : public PartsFixture, protected ReloadHost {
 protected:
  // A counter whose state is described.
  static std::string counter(int version) {
    return fmt::format(R"((module (global $count (export "state.count") (mut i32) (i32.const 0))
      (func (export "next") (result i32)
        (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
      (func (export "version") (result i32) (i32.const {}))))",
                       version);
  }

  // A module in the table, with a process of the same name that runs.
  void run(const std::string& module, int version = 1) {
    add_module(module, counter(version));
    const ProcessPtr process = *processes_.place(owner_, module, false);
    const auto outcome = process->start(1, modules_.active(module)->code, {});
    EXPECT_TRUE(outcome && outcome->kind == OutcomeKind::ok);
    running_.emplace(module, process);
  }
  std::int32_t ask(const std::string& module, std::string_view function) {
    Message message;
    message.kind = MessageKind::call;
    message.function = function;
    const auto outcome = running_.at(module)->call(std::move(message), {});
    return outcome && outcome->values.size() == 1 ? outcome->values[0].i32() : -1;
  }
  std::uint64_t active(const std::string& module) const { return modules_.active(module)->number; }
  template <typename T>
  static std::string refusal(const Result<T>& result) {
    return result ? "" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
  }

  // ReloadHost
  std::vector<ProcessPtr> processes_of(std::string_view module) const override {
    const auto found = running_.find(module);
    return found == running_.end() ? std::vector<ProcessPtr>() : std::vector{found->second};
  }
  std::set<std::string> modules_with_processes() const override {
    std::set<std::string> modules;
    for (const auto& [module, process] : running_) modules.insert(module);
    return modules;
  }
  bool trees_are_quiet() const override { return true; }
  bool trees_are_settled() const override { return settled_; }
  void wait_for_restarts(Clock::TimePoint) const override { ++waits_; }
  std::stop_token ending() const override { return control_.ending(); }
  ModuleGate gate() override {
    return ModuleGate({.services = services_,
                       .policy = gate_policy_,
                       .account = owner_.account(),
                       .journal = journal_,
                       .sandbox = id_,
                       .permissions = Permissions::standard(),
                       .tier = Tier::interpreted,
                       .stop = {}});
  }
  Result<void> commit(ModuleChanges& changes, const ModuleTable::Commit& commit) override {
    return modules_.commit(changes, commit);
  }

  ReloadParts reload_parts() {
    return {.host = *this,
            .owner = owner_,
            .modules = modules_,
            .timers = guest_timers_,
            .journal = journal_,
            .starts = starts_};
  }
  CrashAftermath aftermath() {
    return {.standing = standing_, .trees = *this, .processes = processes_, .owner = owner_, .decisions = decisions_};
  }
  Reloads::Parts parts() {
    return {.sandbox = id_,
            .policy = policy_,
            .operation = operation_,
            .standing = standing_,
            .control = control_,
            .aftermath = aftermath(),
            .reload = reload_parts()};
  }

  ReloadPolicy policy_;
  const SandboxPolicy gate_policy_{.limits = SandboxLimits::of(Profile::standard),
                                   .permissions = Permissions::standard()};
  bool settled_ = true;
  mutable int waits_ = 0;
  std::map<std::string, ProcessPtr, std::less<>> running_;
  Workers::Client client_;
  StructuralControl control_{owner_.workers(), client_, Tier::interpreted};
  GuestTimers guest_timers_{owner_, *timers_};
  StartGate starts_;
  Decisions decisions_;
};

}  // namespace petri
