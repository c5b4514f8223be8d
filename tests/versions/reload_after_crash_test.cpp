// Area M of docs/behaviours.md: reloads and rollbacks that meet a crash.
#include "reload_fixture.h"

namespace petri {
namespace {

// ---- issue 16 -------------------------------------------------------------------------------------------------

// The answer is the same whether the supervisor has restarted it by then or not: 4 of 5 went through without a look at
// the state.
TEST_F(ReloadTest, GivesOneAnswerHoweverSoonItComesAfterACrash) {
  const Source other = Source::wat(service(2, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
                                           R"((global (export "state.more") (mut f64) (f64.const 1)))"));
  const Source less = Source::wat(service(3, R"((global $count (export "state.tally") (mut i32) (i32.const 0)))"));
  for (const bool rolling : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      SandboxSpec wanted = with_children({"x"});
      wanted.reload = ReloadPolicy{.rolling = rolling};
      Sandbox sandbox = create(wanted);
      EXPECT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
      const auto refused = sandbox.reload("service", less);
      ASSERT_FALSE(refused) << "round " << round;
      EXPECT_EQ(refused.error().code, ErrorCode::state_incompatible);
      EXPECT_EQ(active(sandbox), 1U);
      EXPECT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
      const auto reloaded = sandbox.reload("service", other);
      ASSERT_TRUE(reloaded) << reloaded.error().message;
      EXPECT_EQ(reloaded->processes.size(), 1U) << "round " << round;
      ASSERT_TRUE(runtime_->destroy("a"));
    }
  }
}

// A reload was 2 to 2 without a change, or 1 to 2; a rollback 2 to 1, or 1 to 2; and the state was there, or not.
TEST_F(ReloadTest, WaitsForWhatFollowsACrashThatWasAnswered) {
  const auto numbers_of = [](const Result<ReloadReport>& report) {
    return report ? fmt::format("{} to {}{}", report->from, report->to, report->no_change ? ", no change" : "")
                  : report.error().message;
  };
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    for (const bool deterministic : {false, true}) {
      for (int round = 0; round < 10; ++round) {
        SandboxSpec wanted = with_children({"x"});
        wanted.tier = tier;
        wanted.deterministic = deterministic;
        Sandbox sandbox = create(wanted);
        EXPECT_EQ(ask(sandbox, "next"), 1);
        ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
        const auto state = sandbox.state();
        ASSERT_TRUE(state) << state.error().message;
        EXPECT_EQ(*state->get("count"), StateValue(std::int64_t{0}));
        for (int again = 0; again < 2; ++again) {
          ASSERT_EQ(numbers_of(sandbox.reload("service", code(2))), "1 to 2");
          ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
          const auto plan = sandbox.plan("service", code(2));
          ASSERT_TRUE(plan) << plan.error().message;
          EXPECT_EQ(plan->from, 1U);
        }
        ASSERT_EQ(numbers_of(sandbox.reload("service", code(2))), "1 to 2");
        ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
        ASSERT_EQ(numbers_of(sandbox.rollback("service")), "1 to 2");
        EXPECT_EQ(active(sandbox), 2U);
        ASSERT_TRUE(runtime_->destroy("a"));
      }
    }
  }
}

// The supervisor gives up at the first crash: a verb that came soon found the sandbox running.
TEST_F(ReloadTest, WaitsForTheRecoveryThatFollowsACrash) {
  for (int round = 0; round < 20; ++round) {
    SandboxSpec wanted = with_children({"x"});
    wanted.tree->intensity = 0;
    Sandbox sandbox = create(wanted);
    ASSERT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
    const auto refused = sandbox.reload("service", code(2));
    ASSERT_FALSE(refused) << "round " << round;
    EXPECT_EQ(refused.error().message,
              "the sandbox a is failed: the supervisor gave up restarting; the last that ended was x (trapped)");
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// A caller that waits gets its answer when the tree has given up and recovery has not started: nothing is down any
// more, and nothing is decided yet.
TEST_F(ReloadTest, WaitsForTheRecoveryWhileATreeThatGaveUpIsCleared) {
  const std::string falls = std::string(kCross) + R"((func (export "fall") (call $cross) unreachable))";
  SandboxSpec wanted = with_children({"x"});
  wanted.modules[0].source = Source::wat(service(1, kCount, falls));
  wanted.tree->intensity = 0;
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.call_async("fall", {}, {}, nullptr));
  std::promise<std::future<Result<ReloadReport>>> started;
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, [&](const Result<Outcome>& result) {
    EXPECT_EQ(testing::not_error(result, ErrorCode::cancelled), "");
    auto reload = std::async(std::launch::async,
                             [&] { return sandbox.reload("service", Source::wat(service(2, kCount, falls))); });
    EXPECT_EQ(reload.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
    started.set_value(std::move(reload));
  }));
  crossing_.open();
  const auto refused = started.get_future().get().get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the sandbox a is failed: the supervisor gave up restarting; the last that ended was x (trapped)");
}

// A crash that a trial rolls back was reported by no event, and a limit that ended it was counted nowhere.
TEST_F(ReloadTest, ReportsACrashInATrialAsAnyOther) {
  for (const bool deterministic : {false, true}) {
    SandboxSpec wanted = with_children({"x"});
    wanted.deterministic = deterministic;
    wanted.limits = {.fuel_max = 100'000};
    Sandbox sandbox = create(wanted);
    for (const std::string_view function : {"crash", "spin"}) {
      Subscription events = *runtime_->subscribe(
          {.kinds = {EventKind::process_exited, EventKind::module_rolled_back, EventKind::killed_resource_limit}});
      ASSERT_TRUE(sandbox.reload("service", code(2)));
      ASSERT_TRUE(sandbox.call(function));
      ASSERT_TRUE(sandbox.state());
      std::vector<std::string> kinds;
      while (const EventPtr event = events.next()) kinds.emplace_back(name_of(event->kind));
      std::vector<std::string> wanted_kinds{"process.exited", "module.rolled_back"};
      if (function == "spin") wanted_kinds.insert(wanted_kinds.begin(), "killed.resource_limit");
      EXPECT_EQ(kinds, wanted_kinds);
    }
    EXPECT_EQ(sandbox.info().limits_met["fuel_max"], 1U);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// One that was at work until the switch answered all the while; the other waited for it.
TEST_F(ReloadTest, ReportsThePauseOfEachProcess) {
  constexpr std::string_view kBusy = R"((import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 1)
    (func (export "work") (local $left i32)
      (drop (call $log (i32.const 2) (i32.const 0) (i32.const 0)))
      (local.set $left (i32.const 3000000))
      (loop $again (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))";
  SandboxSpec wanted = with_children({"busy", "idle"});
  const auto version = [&](int number) {
    return Source::wat(service(number, R"((global $count (export "state.count") (mut i32) (i32.const 0)))", kBusy));
  };
  wanted.modules[0].source = version(1);
  wanted.tier = Tier::interpreted;
  std::promise<void> started;
  wanted.on_log = [&](std::string_view, LogLevel, std::string_view) { started.set_value(); };
  Sandbox sandbox = create(wanted);
  std::promise<void> done;
  ASSERT_TRUE(sandbox.call_async("work", {}, {.process = "busy"}, [&](const Result<Outcome>&) { done.set_value(); }));
  started.get_future().get();
  const auto reloaded = sandbox.reload("service", version(2));
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  std::map<std::string, std::chrono::nanoseconds> pauses;
  for (const ProcessSwitch& process : reloaded->processes) pauses[process.process] = process.pause;
  ASSERT_EQ(pauses.size(), 2U);
  EXPECT_LT(pauses["busy"], pauses["idle"]);
  EXPECT_EQ(reloaded->pause_max, pauses["idle"]);
  done.get_future().get();
}

}  // namespace
}  // namespace petri
