// S20 to S22: what becomes of a sandbox once its supervision has given up.
#include <future>
#include <latch>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/threads/stack.h"
#include "engine/fault_injection.h"
#include "runtime_fixture.h"
#include "telemetry/event_rules_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class RecoveryTest : public RuntimeFixture {
 protected:
  RecoveryTest() {
    RuntimeOptions options = in_tier_under_test(without_containment());
    options.clock = time_.clock();
    runtime_ = *Runtime::create(std::move(options));
    events_.emplace(*runtime_->subscribe({.kinds = {EventKind::sandbox_recovery, EventKind::sandbox_failed}}));
  }
  ~RecoveryTest() override { runtime_.reset(); }  // before its clock

  // Gives up at the first end.
  static SandboxSpec fragile(const std::map<ErrorCategory, RecoveryAction>& actions = {}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"p"}, 0);
    spec.limits = {.fuel_max = 1'000};
    spec.recovery = Recovery{.actions = actions};
    return spec;
  }
  // Given other code of the same layout, which had no trial.
  Sandbox fragile_of_version_two() {
    SandboxSpec spec = fragile();
    spec.reload = ReloadPolicy{.trial = {.calls = 0}};
    Sandbox sandbox = create(spec);
    std::string other(kCounter);
    other.insert(other.size() - 1, "(func (export \"more\"))");
    EXPECT_TRUE(sandbox.reload("counter", Source::wat(other)));
    return sandbox;
  }
  // As many as come: "class action", and "failed class" once it has.
  std::vector<std::string> recoveries(std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count) {
      const EventPtr event = events_->wait_until(std::chrono::steady_clock::now() + 10s);
      if (event == nullptr) break;
      EXPECT_THAT(faults_of(*event), IsEmpty());
      const bool failed = event->kind == EventKind::sandbox_failed;
      all.push_back((failed ? "failed " : "") + std::string(event->text("class")) + (failed ? "" : " ") +
                    std::string(event->text("action")));
    }
    return all;
  }
  std::vector<std::string> audited() const {
    std::vector<std::string> all;
    for (const AuditEntry& entry : runtime_->audit({.sandbox = "a", .kind = AuditKind::recovery}).entries)
      all.push_back(entry.cause);
    return all;
  }
  // The entry is there before the restart, which starts from `running`: only an answer shows that it is over.
  void expect_recovered(Sandbox& sandbox, std::size_t times) {
    expect_soon([&] { return audited().size() == times && call(sandbox, "next", "p") ? "" : "not yet"; });
  }
  static void trap(Sandbox& sandbox) {
    EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "p"), OutcomeKind::trapped), "");
  }
  static void burn(Sandbox& sandbox) {
    EXPECT_EQ(testing::not_kind(call(sandbox, "spin", "p"), OutcomeKind::out_of_fuel), "");
  }
  static void meet_a_fault(Sandbox& sandbox) {
    panic_at_next(EngineStep::call);
    EXPECT_EQ(testing::not_error(call(sandbox, "next", "p"), ErrorCode::engine_fault), "");
  }

  testing::ManualTime time_;
  std::optional<Subscription> events_;
};

TEST_F(RecoveryTest, TerminatesAfterATrap) {  // S20, S21, O06
  Sandbox sandbox = create(fragile());
  trap(sandbox);
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_EQ(sandbox.info().failure, ErrorCategory::runtime);
  EXPECT_THAT(sandbox.info().cause, HasSubstr("p (trapped)"));
  EXPECT_THAT(recoveries(2), ElementsAre("runtime terminate", "failed runtime"));
  EXPECT_THAT(audited(), ElementsAre("terminate"));
}

TEST_F(RecoveryTest, RollsBackCodeThatWasNewWhenItFailed) {  // S21
  Sandbox sandbox = fragile_of_version_two();
  time_.advance(*runtime_, 59s);
  trap(sandbox);
  expect_soon([&] { return audited().size() == 1 && sandbox.status() == SandboxStatus::running ? "" : "not yet"; });
  EXPECT_EQ(sandbox.info().modules[0].version, 1U);
  EXPECT_EQ(next(sandbox, "p"), 1);
  EXPECT_EQ(sandbox.history("counter")->switches.back().cause, SwitchCause::recovery);
  // Nothing is left to roll back.
  trap(sandbox);
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(recoveries(3), ElementsAre("runtime rollback", "runtime terminate", "failed runtime"));
}

TEST_F(RecoveryTest, LeavesCodeThatHasProvedItself) {  // S21
  Sandbox sandbox = fragile_of_version_two();
  time_.advance(*runtime_, 60s);
  trap(sandbox);
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_EQ(sandbox.info().modules[0].version, 2U);
}

TEST_F(RecoveryTest, RestartsOnceAfterALimitThenTerminates) {  // S20, S21
  Sandbox sandbox = create(fragile());
  EXPECT_EQ(next(sandbox, "p"), 1);
  burn(sandbox);
  expect_soon([&] { return audited().size() == 1 && sandbox.status() == SandboxStatus::running ? "" : "not yet"; });
  EXPECT_EQ(next(sandbox, "p"), 1) << "a fresh state";
  EXPECT_EQ(sandbox.info().restarts, 0U) << "nobody asked for one";
  burn(sandbox);
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(recoveries(3), ElementsAre("resource restart", "resource terminate", "failed resource"));
}

TEST_F(RecoveryTest, CountsAnewOnceItWasStable) {
  Sandbox sandbox = create(fragile());
  for (std::size_t i = 1; i <= 3; ++i) {
    burn(sandbox);
    expect_recovered(sandbox, i);
    time_.advance(*runtime_, 60s);
  }
  EXPECT_THAT(audited(), ElementsAre("restart", "restart", "restart"));
}

TEST_F(RecoveryTest, RetriesAfterAFaultOfTheHost) {  // S21, X13
  Sandbox sandbox = create(fragile());
  for (const auto pause : {100ms, 200ms, 400ms}) {
    meet_a_fault(sandbox);
    expect_status(sandbox, SandboxStatus::starting);
    EXPECT_THAT(sandbox.info().cause, HasSubstr("tried again after " + std::to_string(pause.count()) + " ms"));
    EXPECT_EQ(sandbox.info().failure, ErrorCategory::system);
    EXPECT_EQ(testing::not_error(call(sandbox, "next", "p"), ErrorCode::rejected), "");
    time_.advance(*runtime_, pause - 1ns);
    EXPECT_EQ(sandbox.status(), SandboxStatus::starting);
    time_.advance(*runtime_, 1ns);
    expect_status(sandbox, SandboxStatus::running);
    EXPECT_EQ(next(sandbox, "p"), 1);
  }
  EXPECT_THAT(recoveries(3), ElementsAre("system retry", "system retry", "system retry"));
}

TEST_F(RecoveryTest, IsStoppedAndDestroyedWhileItWaits) {
  for (const bool stop : {true, false}) {
    Sandbox sandbox = create(fragile());
    meet_a_fault(sandbox);
    expect_status(sandbox, SandboxStatus::starting);
    ASSERT_TRUE(!stop || sandbox.stop());
    EXPECT_TRUE(!stop || sandbox.status() == SandboxStatus::stopped);
    ASSERT_TRUE(runtime_->destroy("a"));
    time_.advance(*runtime_, 1h);
    EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
  }
}

// The start that a retry makes may fail as well.
TEST_F(RecoveryTest, ContinuesWithTheNextStepWhenStartingAgainFails) {
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(R"((module
      (import "petri" "clock_ms" (func $clock (result i64)))
      (func (export "petri_init") (result i32) (drop (i32.const 1)) (i32.const 0))
      (func (export "crash") unreachable)))")}}};
  spec.tree = SupervisorSpec{.intensity = 0, .children = {ChildSpec{.id = "p", .module = "m"}}};
  spec.recovery = Recovery{};
  spec.recovery->actions = {{ErrorCategory::runtime, RecoveryAction::restart},
                            {ErrorCategory::resource, RecoveryAction::retry}};
  spec.recovery->retries_max = 2;
  Sandbox sandbox = create(spec);
  // From now on nothing starts: one unit is too little for petri_init.
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 1}));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "p"), OutcomeKind::trapped), "");
  expect_soon([&] {
    time_.advance(*runtime_, 1s);
    return sandbox.status() == SandboxStatus::failed ? "" : "not yet";
  });
  EXPECT_THAT(audited(), ElementsAre("restart", "retry", "retry", "terminate"));
}

// The entries about it count as its guests' doing, and take no more of the audit trail than guests may.
TEST_F(RecoveryTest, ReportsManyStartsInFewEntries) {
  SandboxSpec spec =
      fragile({{ErrorCategory::runtime, RecoveryAction::restart}, {ErrorCategory::resource, RecoveryAction::restart}});
  spec.modules = {{"counter", Source::wat(R"((module (func (export "petri_init") (result i32) (drop (i32.const 1))
      (i32.const 0)) (func (export "crash") unreachable)))")}};
  spec.recovery->restarts_max = 3'000;
  spec.audit = AuditLevel::full;
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 1}));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "p"), OutcomeKind::trapped), "");
  // The final verdict is there, whatever came before.
  expect_soon(
      [&] { return runtime_->audit({.kind = AuditKind::sandbox_failed}).entries.size() == 1 ? "" : "not yet"; });
  EXPECT_THAT(runtime_->audit({.kind = AuditKind::recovery, .cause = "terminate"}).entries, SizeIs(1));
  EXPECT_LT(runtime_->audit_status().entries, 1'100U);
}

// Each may fail as well, as often as the spec allows: that is done one after the other, and not one inside the other.
TEST_F(RecoveryTest, TakesNoMoreStackForManyStartsThatFailThanForOne) {
  struct Stack {
    std::size_t most_left = 0, least_left = std::numeric_limits<std::size_t>::max();
  };
  std::mutex mutex;
  std::map<std::thread::id, Stack> stacks;
  int starts = 0;
  RuntimeOptions options = in_tier_under_test(without_containment());
  ASSERT_TRUE(options.host.define("test", "fails", [&]() -> std::int32_t {
    const std::lock_guard lock(mutex);
    Stack& stack = stacks[std::this_thread::get_id()];
    stack.most_left = std::max(stack.most_left, stack_bytes_left());
    stack.least_left = std::min(stack.least_left, stack_bytes_left());
    return ++starts > 1 ? 1 : 0;
  }));
  const auto runtime = *Runtime::create(std::move(options));
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(R"((module
      (import "test" "fails" (func $fails (result i32)))
      (func (export "petri_init") (result i32) (call $fails))
      (func (export "crash") unreachable)))")}}};
  spec.tree = SupervisorSpec{.intensity = 0, .children = {ChildSpec{.id = "p", .module = "m"}}};
  spec.recovery = Recovery{.actions = {{ErrorCategory::runtime, RecoveryAction::restart}}, .restarts_max = 500};
  Sandbox sandbox = *runtime->create_sandbox(spec);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "p"), OutcomeKind::trapped), "");
  const auto how = [&] { return sandbox.status() == SandboxStatus::failed ? "" : "not yet"; };
  EXPECT_EQ(testing::eventually(*runtime, how), "");
  EXPECT_EQ(starts, 501);
  for (const auto& [thread, stack] : stacks) EXPECT_LT(stack.most_left - stack.least_left, std::size_t{64} << 10);
}

TEST_F(RecoveryTest, IsolatesWhatIsNotToBeTrusted) {  // S22
  SandboxSpec spec = fragile({{ErrorCategory::runtime, RecoveryAction::isolate}});
  Sandbox sandbox = create(spec);
  trap(sandbox);
  expect_status(sandbox, SandboxStatus::isolated);
  EXPECT_EQ(testing::not_error(call(sandbox, "next", "p"), ErrorCode::rejected), "");
  EXPECT_EQ(sandbox.send("x").error().code, ErrorCode::rejected);
  EXPECT_EQ(sandbox.run("counter", "next").error().code, ErrorCode::rejected);
  EXPECT_EQ(sandbox.stop().error().code, ErrorCode::rejected);
  EXPECT_THAT(sandbox.info().cause, HasSubstr("p (trapped)"));
  EXPECT_EQ(sandbox.info().failure, ErrorCategory::runtime);
  EXPECT_EQ(runtime_->list({.status = SandboxStatus::isolated}).total, 1U);
  EXPECT_EQ(runtime_->create_sandbox(counter()).error().code, ErrorCode::already_exists) << "its id is taken";
  EXPECT_THAT(audited(), ElementsAre("isolate"));
  EXPECT_THAT(recoveries(1), ElementsAre("runtime isolate"));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(next(sandbox, "p"), 1);
}

// Spawned by guests, a process has a supervisor of its own, so that those of the spec live on when that gives up.
constexpr std::string_view kParent = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "{\"id\": \"x\", \"module\": \"m\"}")
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "spawn") (result i32) (call $spawn (i32.const 0) (i32.const 26)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "crash") unreachable)))";

class FamilyTest : public RecoveryTest {
 protected:
  Sandbox family(RecoveryAction action) {
    SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(std::string(kParent))}}};
    spec.recovery = Recovery{.actions = {{ErrorCategory::runtime, action}}};
    return create(spec);
  }
  // With one restart in five seconds.
  void lose_the_child(Sandbox& sandbox) {
    EXPECT_EQ(testing::not_value(sandbox.call("spawn", {}, {.process = "m"}), 0), "");
    for (const std::uint64_t restarts : {0, 1}) {
      expect_restarts(sandbox, restarts);
      EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "x"), OutcomeKind::trapped), "");
    }
  }
};

TEST_F(FamilyTest, FreezesWhatStillLives) {  // S22
  Sandbox sandbox = family(RecoveryAction::isolate);
  EXPECT_EQ(next(sandbox), 1);
  lose_the_child(sandbox);
  expect_status(sandbox, SandboxStatus::isolated);
  EXPECT_EQ(sandbox.usage().processes, 1U);
  EXPECT_EQ(sandbox.children()[0].status, "running");
  EXPECT_EQ(testing::not_error(call(sandbox, "next", "m"), ErrorCode::rejected), "");
  for (int i = 0; i < 2; ++i) {
    const auto state = sandbox.state("m");
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(to_json(*state), R"({"fields":[{"name":"count","type":"i32","value":1}]})")
        << "it is kept so that it can be looked at";
  }
  EXPECT_EQ(testing::not_error(sandbox.update_state({{"count", std::int32_t{7}}}, "m"), ErrorCode::rejected), "");
  const auto gone = sandbox.state("x");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, "the sandbox a has no process x");
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(next(sandbox), 1) << "restarting begins with fresh state";
}

// A message that waits for it is not handled, and a caller that waits has an answer.
TEST_F(FamilyTest, HandlesNoMessageOfWhatIsFrozen) {  // S22
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(R"((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (import "petri" "message_kind" (func $kind (result i32)))
    (memory 1) (data (i32.const 0) "{\"id\": \"x\", \"module\": \"m\"}")
    (global $count (export "state.count") (mut i32) (i32.const 0))
    (func (export "spawn") (result i32) (call $spawn (i32.const 0) (i32.const 26)))
    (func (export "hold") (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))))
    (func $next (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
    (func (export "petri_handle") (result i32)
      (if (i32.eq (call $kind) (i32.const 2)) (then (drop (call $next)))) (i32.const 0))
    (func (export "crash") unreachable)))")}}};
  spec.recovery = Recovery{.actions = {{ErrorCategory::runtime, RecoveryAction::isolate}}};
  std::latch holds(1), let_go(1);
  spec.on_log = [&](auto, auto, auto) {
    holds.count_down();
    let_go.wait();
  };
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_value(sandbox.call("spawn", {}, {.process = "m"}), 0), "");
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "x"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  std::promise<Result<Outcome>> held, waited;
  ASSERT_TRUE(
      sandbox.call_async("hold", {}, {.process = "m"}, [&](Result<Outcome> result) { held.set_value(result); }));
  holds.wait();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(sandbox.send("one more", "m"));
  ASSERT_TRUE(
      sandbox.call_async("next", {}, {.process = "m"}, [&](Result<Outcome> result) { waited.set_value(result); }));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "x"), OutcomeKind::trapped), "");
  expect_status(sandbox, SandboxStatus::isolated);
  auto answer = waited.get_future();
  EXPECT_EQ(answer.wait_for(30s), std::future_status::ready) << "it does not wait for what goes on";
  let_go.count_down();
  const auto unanswered = answer.get();
  ASSERT_FALSE(unanswered);
  EXPECT_EQ(unanswered.error().code, ErrorCode::cancelled);
  EXPECT_EQ(unanswered.error().message, "the process m ended before it came to this call");
  EXPECT_EQ(testing::not_kind(held.get_future().get(), OutcomeKind::ok), "") << "what it was at comes to its end";
  const auto state = sandbox.state("m");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(to_json(*state), R"({"fields":[{"name":"count","type":"i32","value":0}]})");
  EXPECT_GE(sandbox.usage().messages, 2U) << "they wait, and so does what it is told of its child";
}

TEST_F(FamilyTest, KeepsWhatStillRuns) {
  Sandbox sandbox = family(RecoveryAction::keep);
  EXPECT_EQ(next(sandbox), 1);
  lose_the_child(sandbox);
  expect_soon([&] { return audited().empty() ? "not yet" : ""; });
  EXPECT_EQ(testing::not_running(sandbox), "");
  EXPECT_EQ(next(sandbox), 2);
  EXPECT_EQ(testing::not_value(sandbox.call("spawn", {}, {.process = "m"}), 0), "") << "with a supervisor of its own";
  EXPECT_EQ(next(sandbox, "x"), 1);
}

TEST_F(RecoveryTest, KeepsNothingWhereNothingRuns) {
  Sandbox sandbox = create(fragile({{ErrorCategory::runtime, RecoveryAction::keep}}));
  trap(sandbox);
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(recoveries(2), ElementsAre("runtime keep", "failed runtime"));
}

}  // namespace
}  // namespace petri
