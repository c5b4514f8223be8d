// For tests: the trees of a sandbox with what they stand on, and real processes, without the rest of the sandbox.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "process/process_fixture.h"
#include "sandbox/activity.h"
#include "sandbox/recovery/recovery_actions.h"

namespace petri {

class TreesFixture : public ::testing::Test, public TrialHost, public RecoveryHost {
 protected:
  static constexpr std::string_view kCounter = R"((module (global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))))";
  static constexpr std::string_view kBroken = R"((module (func $start unreachable) (start $start)))";

  // Modules and rule are set before the first start.
  void add_module(std::string_view wat) { modules_.put("counter", TestOwner::load(wat, Tier::interpreted), {}, {}); }
  Result<void> start() {
    standing_.advance(LifecycleEvent::load);
    return activity_.start(control_.take());
  }
  // Guests are held to deadlines by the machine's clock, so that of the test starts where that is now.
  TreesFixture() { clock_.advance(SystemClock().now().time_since_epoch()); }
  // Waits for what the trees have left to a worker.
  ~TreesFixture() override {
    activity_.end(control_.take());
    for (int task = 0; task < 3; ++task) {
      std::promise<void> done;
      owner_.workers().submit([&done] { done.set_value(); });
      done.get_future().wait();
    }
  }

  SandboxStatus status() const { return standing_.status(); }
  // As if it had ended by itself.
  void crash(const std::string& address) {
    Outcome outcome;
    outcome.kind = OutcomeKind::trapped;
    if (const ProcessPtr process = processes_.find(address)) recovery_.note_end(*process, outcome);
  }
  // Supervision of the spec's tree gives up; all that follows is done when this returns.
  void give_up() {
    recovery_.tree_gave_up(trees_.tree());
    decisions_.wait(owner_.workers(), std::chrono::steady_clock::now() + std::chrono::seconds(20));
  }
  std::string names(const std::vector<ProcessPtr>& processes) const {
    std::string all;
    for (const ProcessPtr& process : processes) all += (all.empty() ? "" : " ") + process->name();
    return all;
  }

  // Reports that go upward.
  bool begin_rollback(Process&, const TrialPeriod&, const Result<Outcome>&, std::function<void()>&) override {
    return false;
  }
  Result<void> roll_back(const std::vector<std::string>&) override { return rolls_back_; }

  ManualClock clock_;
  TestOwner owner_{1, SandboxLimits::of(Profile::standard), &clock_};
  EventBus bus_{clock_};
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{MetricLabels{}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  const std::string id_ = "a";
  Journal journal_{sinks_, owner_, id_, AuditLevel::none, operation_};
  Standing standing_{id_, clock_, journal_, clock_.wall_now()};
  Workers::Client client_;
  StructuralControl control_{owner_.workers(), client_, Tier::interpreted};
  ModuleTable modules_{id_, {}};
  ProcessTable processes_{id_, standing_};
  FailedSources failed_;
  ModuleSources sources_{{.services = owner_, .failed = failed_, .table = modules_, .journal = journal_},
                         {ModuleSpec{"counter", Source::artifact(nullptr)}}};
  TreeSpec spec_{std::nullopt, sources_, modules_};
  StartGate gate_;
  Recovery rule_;
  Decisions decisions_;
  RunTable runs_;
  Quarantine quarantine_{{.limits_max = 3}};
  Containment containment_{
      {.sandbox = id_, .clock = clock_, .modules = modules_, .quarantine = quarantine_, .journal = journal_}, {}};
  ProcessEnds ends_{{.processes = processes_,
                     .trees = trees_,
                     .recovery = recovery_,
                     .containment = containment_,
                     .trials = *this,
                     .account = owner_.account(),
                     .journal = journal_}};
  ProcessStarts starts_{{.workers = owner_.workers(),
                         .standing = standing_,
                         .modules = modules_,
                         .gate = gate_,
                         .processes = processes_,
                         .ends = ends_,
                         .journal = journal_},
                        id_};
  Trees trees_{{.owner = owner_,
                .timers = *timers_,
                .control = control_,
                .processes = processes_,
                .spec = spec_,
                .starts = starts_,
                .news = recovery_}};
  Activity activity_{{.standing = standing_,
                      .control = control_,
                      .trees = trees_,
                      .processes = processes_,
                      .runs = runs_,
                      .journal = journal_},
                     id_};
  RecoveryActions recovery_{{.rule = rule_,
                             .timers = *timers_,
                             .standing = standing_,
                             .control = control_,
                             .activity = activity_,
                             .trees = trees_,
                             .processes = processes_,
                             .modules = modules_,
                             .decisions = decisions_,
                             .operation = operation_,
                             .host = *this,
                             .journal = journal_}};
  Result<void> rolls_back_;
};

}  // namespace petri
