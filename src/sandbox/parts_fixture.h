// For tests: what the parts of a sandbox stand on, without the sandbox.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "petri/host_functions.h"
#include "process/process_fixture.h"
#include "sandbox/calls/completions.h"
#include "sandbox/calls/run_table.h"
#include "sandbox/journal/journal.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/sandbox_services.h"
#include "sandbox/standing.h"
#include "sandbox/versions/module_table.h"

namespace petri {

class PartsFixture : public ::testing::Test {
 protected:
  static constexpr std::string_view kAdder = R"((module
    (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)
    (func (export "petri_handle") (result i32) i32.const 0)))";

  // Guests are held to deadlines by the machine's clock, so that of the test starts where that is now.
  PartsFixture() { clock_.advance(SystemClock().now().time_since_epoch()); }
  ~PartsFixture() override {
    for (const ProcessPtr& process : processes_.take_all()) {
      process->kill(process->incarnation());
      process->stop(process->incarnation());
      process->close();
    }
  }

  // The kinds of all events since this was last asked, and of all entries of the audit trail.
  std::vector<std::string> events() {
    std::vector<std::string> kinds;
    while (const EventPtr event = subscription_.next()) kinds.emplace_back(name_of(event->kind));
    return kinds;
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> kinds;
    for (const AuditEntry& entry : log_->query({}).entries) {
      kinds.push_back(fmt::format("{} {}", name_of(entry.kind), entry.cause));
    }
    return kinds;
  }
  std::string metrics() const { return to_prometheus(metrics_, {}); }
  const SandboxLimits& limits() { return *(limits_ = owner_.account().limits()); }
  static Outcome ended(OutcomeKind kind, const std::string& limit = "") {
    Outcome outcome;
    outcome.kind = kind;
    outcome.cause = limit;
    return outcome;
  }
  void add_module(const std::string& name, std::string_view wat = "(module)") {
    modules_.put(name, TestOwner::load(wat, Tier::interpreted), {}, {});
  }

  // The sandbox runs, as far as its status says.
  void set_running() {
    for (const LifecycleEvent event : {LifecycleEvent::load, LifecycleEvent::start, LifecycleEvent::started})
      standing_.advance(event);
  }
  Process& start(const std::string& address, std::string_view wat = "(module)") {
    const ProcessPtr process = *processes_.place(owner_, address, false);
    const auto outcome = process->start(1, TestOwner::load(wat, Tier::interpreted), {});
    EXPECT_TRUE(outcome && outcome->kind == OutcomeKind::ok);
    return *process;
  }

  ManualClock clock_;
  TestOwner owner_{2, SandboxLimits::of(Profile::standard), &clock_};
  EventBus bus_{clock_};
  Subscription subscription_ = *bus_.subscribe({});
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{{.limits = {"execution_time_max", "timers_max"}, .permissions = {"clock"}}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const std::string id_ = "a";
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  Journal journal_{sinks_, owner_, id_, AuditLevel::full, operation_};
  ModuleTable modules_{id_, WallTime{}};
  Standing standing_{id_, clock_, journal_, WallTime{}};
  ProcessTable processes_{id_, standing_};
  RunTable run_table_;
  Completions completions_;
  Quarantine quarantine_{{.limits_max = 3}};
  BlockList blocked_;
  const HostFunctions host_;
  ArtifactStore artifacts_;
  CompiledModules compiled_{0};
  Promoter promoter_{{}, clock_, compiled_};
  CodeStore code_{host_, promoter_, 0, {}};
  GuestThreads guest_threads_{owner_.workers(), 64, 8};
  FailedSources failed_sources_;
  RetraceBudget retrace_budget_;
  const SandboxServices services_{.workers = owner_.workers(),
                                  .guest_threads = guest_threads_,
                                  .timers = *timers_,
                                  .clock = clock_,
                                  .events = bus_,
                                  .artifacts = artifacts_,
                                  .code = code_,
                                  .host = host_,
                                  .audit = *log_,
                                  .quarantine = quarantine_,
                                  .blocked = blocked_,
                                  .metrics = metrics_,
                                  .failed_sources = failed_sources_,
                                  .retrace_budget = retrace_budget_,
                                  .under_way = std::make_shared<UnderWay>()};

 private:
  SandboxLimitsPtr limits_;
};

}  // namespace petri
