// For tests: processes of a sandbox that only knows their names.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "host/link.h"
#include "process/process.h"

namespace petri {

class TestOwner final : public ProcessOwner, public TreeAccount::Listener {
 public:
  // A clock that is given outlives it.
  explicit TestOwner(std::size_t workers = 2, SandboxLimits limits = SandboxLimits::of(Profile::standard),
                     const Clock* clock = nullptr)
      : clock_(clock == nullptr ? machine_ : *clock),
        workers_(std::move(*Workers::create({.workers = workers}))),
        account_(std::make_shared<const SandboxLimits>(limits), this),
        share_(limits.cpu_percent_max) {}
  ~TestOwner() override {
    for (auto& [name, process] : processes_) {
      process->kill(process->incarnation());
      process->stop(process->incarnation());
    }
    workers_.reset();
  }

  void limit_met(std::string_view, const LimitMet& met) override {
    MutexLock lock(mutex_);
    met_.insert(met_.end(), met.count, std::string(met.limit));
  }
  void permission_used(std::string_view, const PermissionUse&) override {}

  std::shared_ptr<void> keep_alive() override { return nullptr; }
  Workers& workers() override { return *workers_; }
  TreeAccount& account() override { return account_; }
  CpuShare& cpu_share() override { return share_; }
  const Clock& clock() const override { return clock_; }
  Mutex& waits() override { return waits_; }
  DeterministicQueue* deterministic_queue() override { return queue; }
  HostSettings host_settings(std::string_view) override {
    HostSettings settings;
    settings.permissions = Permissions::standard();
    settings.clock = &clock_;
    settings.account = &account_;
    return settings;
  }
  std::uint64_t seed() const override { return 7; }
  ProcessPtr find_process(std::string_view name) override {
    const auto found = processes_.find(name);
    return found == processes_.end() ? nullptr : found->second;
  }
  void process_ended(Process& process, std::uint64_t, const Result<Outcome>& how) override {
    MutexLock lock(mutex_);
    ended_.emplace_back(process.name(), how);
    changed_.notify_all();
  }
  void terminate_ended(const Process&, const Outcome&) override {}
  void instance_gone(const Process&, std::uint64_t) override {}
  std::int32_t spawn(Process&, HostCall&, std::string_view) override { return -11; }
  std::int32_t stop_child(Process&, std::string_view) override { return -11; }
  std::int32_t start_timer(Process&, std::uint64_t, std::uint32_t, std::int64_t) override { return -11; }
  void late_answer() override { ++late_answers; }

  static ModuleCodePtr load(std::string_view wat, Tier tier) {
    auto artifact = Artifact::from_wat(wat, 1 << 20);
    EXPECT_TRUE(artifact) << artifact.error().message;
    const auto linked = link(loadable(**artifact), HostFunctions(), Permissions::standard());
    EXPECT_TRUE(linked) << linked.error().message;
    auto code = loadable(**artifact).load(tier, linked->imports);
    return make_module_code(*artifact, linked->imports, *code);
  }

  // Before anything runs.
  Process& add(const std::string& name) { return *(processes_[name] = std::make_shared<Process>(*this, name)); }
  Process& start(const std::string& name, std::string_view wat, Tier tier) {
    Process& process = add(name);
    const auto outcome = process.start(process.incarnation() + 1, load(wat, tier), {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->kind, OutcomeKind::ok);
    return process;
  }

  std::vector<std::pair<std::string, Result<Outcome>>> ended() {
    MutexLock lock(mutex_);
    return ended_;
  }
  std::vector<std::string> met() {
    MutexLock lock(mutex_);
    return met_;
  }
  // Waits until so many processes have ended.
  void wait_for_ended(std::size_t count) {
    MutexLock lock(mutex_);
    while (ended_.size() < count) changed_.wait(mutex_);
  }

  std::atomic<int> late_answers{0};
  DeterministicQueue* queue = nullptr;  // outlives it

 private:
  SystemClock machine_;
  const Clock& clock_;
  std::unique_ptr<Workers> workers_;
  TreeAccount account_;
  CpuShare share_;
  Mutex waits_;
  Mutex mutex_;
  Condition changed_;
  std::vector<std::pair<std::string, Result<Outcome>>> ended_ GUARDED_BY(mutex_);
  std::vector<std::string> met_ GUARDED_BY(mutex_);
  std::map<std::string, ProcessPtr, std::less<>> processes_;
};

}  // namespace petri
