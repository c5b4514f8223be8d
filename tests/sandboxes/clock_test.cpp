// Area Y: with a clock that a test moves by hand, what waits for a time waits for that clock.
#include <future>

#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// Notes the tags of its timers, and may refuse to end.
constexpr std::string_view kAlarm = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "message_tag" (func $tag (result i64)))
  (import "petri" "clock_ms" (func $clock (result i64)))
  (global $seen (mut i64) (i64.const 0))
  (func (export "set") (param i32 i64) (result i32) (call $timer (local.get 0) (local.get 1)))
  (func (export "petri_handle") (result i32)
    (global.set $seen (i64.add (i64.mul (global.get $seen) (i64.const 10)) (call $tag))) (i32.const 0))
  (func (export "seen") (result i64) (global.get $seen))
  (func (export "time") (result i64) (call $clock))
  (func (export "spin") (loop $l (br $l)))))";

class ClockTest : public RuntimeFixture {
 protected:
  ClockTest() { runtime_ = *Runtime::create({.workers = 2, .samples_max = 10, .clock = time_.clock()}); }
  ~ClockTest() override { runtime_.reset(); }  // before its clock
  static SandboxSpec alarm() { return {.id = "a", .modules = {{"alarm", Source::wat(std::string(kAlarm))}}}; }
  static std::int64_t number(Sandbox& sandbox, std::string_view function) {
    const auto outcome = sandbox.call(function);
    return outcome && !outcome->values.empty() ? outcome->values[0].i64() : -1;
  }
  void advance(std::chrono::nanoseconds duration) {
    time_.advance(*runtime_, duration);
    advanced_ += duration;
  }

  testing::ManualTime time_;
  std::chrono::nanoseconds advanced_{0};
};

TEST_F(ClockTest, RingsTimersInTheirOrderAndNoneBeforeItsTime) {  // Y05, R23
  Sandbox sandbox = create(alarm());
  EXPECT_EQ(testing::not_value(sandbox.call("set", {3'600'000, Value(std::int64_t{2})}), 0), "");
  EXPECT_EQ(testing::not_value(sandbox.call("set", {60'000, Value(std::int64_t{1})}), 0), "");
  EXPECT_EQ(number(sandbox, "seen"), 0);
  advance(60s - 1ns);
  EXPECT_EQ(number(sandbox, "seen"), 0);
  advance(1ns);
  expect_soon([&] { return number(sandbox, "seen") == 1 ? "" : "the first has not rung"; });
  advance(1h);
  expect_soon([&] { return number(sandbox, "seen") == 12 ? "" : "the second has not rung"; });
}

// S10 and S14 in a whole sandbox: the window is inclusive, and the wall clock has no say.
TEST_F(ClockTest, RefillsARestartWindowAsItMovesOn) {  // Y05, S10, S14, HF10
  Sandbox sandbox = create(counter());
  const auto crash = [&] { EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), ""); };
  crash();
  expect_restarts(sandbox, 1);
  advance(6s);
  crash();
  expect_restarts(sandbox, 2);
  time_.set_wall(std::chrono::sys_days(std::chrono::year(1990) / 1 / 1));
  advance(5s);
  crash();
  expect_status(sandbox, SandboxStatus::failed);
}

TEST_F(ClockTest, AnswersAWaitingCallOnceItsTimeIsOver) {  // Y05, R25
  SandboxSpec spec = alarm();
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "c", .module = "alarm", .shutdown = Shutdown::brutal()}}};
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  std::promise<Result<Outcome>> answered;
  auto answer = answered.get_future();
  ASSERT_TRUE(sandbox.call_async("seen", {}, {.timeout = 1h},
                                 [&](Result<Outcome> result) { answered.set_value(std::move(result)); }));
  advance(1h - 1ns);
  EXPECT_EQ(answer.wait_for(0s), std::future_status::timeout);
  advance(1ns);
  EXPECT_EQ(testing::not_error(answer.get(), ErrorCode::timeout), "");
}

TEST_F(ClockTest, KillsAStubbornChildOnceItsShutdownTimeIsOver) {  // Y05, S18
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module
    (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
    (func (export "petri_terminate") (result i32)
      (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))) (loop $l (br $l)) (i32.const 0))))");
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "c", .module = "counter", .shutdown = Shutdown::after(1h)}}};
  std::promise<void> ending;
  spec.on_log = [&](auto, auto, auto) { ending.set_value(); };
  Sandbox sandbox = create(spec);
  auto stopped = std::async(std::launch::async, [&] { return sandbox.stop(); });
  ending.get_future().wait();
  EXPECT_EQ(sandbox.status(), SandboxStatus::stopping);
  expect_soon([&] {
    advance(1h);
    return stopped.wait_for(0s) == std::future_status::ready ? "" : "still stopping";
  });
  EXPECT_TRUE(stopped.get());
}

// S18: five seconds when the spec says nothing, none at all for a brutal one.
TEST_F(ClockTest, GivesAChildFiveSecondsToEndUnlessItsSpecSaysOtherwise) {  // Y05
  EXPECT_EQ(ChildSpec{}.shutdown, Shutdown::after(5s));
  for (const bool brutal : {false, true}) {
    std::atomic<int> asked{0};
    std::promise<void> ending;
    SandboxSpec spec = counter();
    spec.modules[0].source = Source::wat(R"((module
      (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
      (func (export "petri_terminate") (result i32)
        (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))) (loop $l (br $l)) (i32.const 0))))");
    ChildSpec child{.id = "c", .module = "counter"};
    if (brutal) child.shutdown = Shutdown::brutal();
    spec.tree = SupervisorSpec{.children = {child}};
    spec.on_log = [&](auto, auto, auto) {
      if (++asked == 1) ending.set_value();
    };
    Sandbox sandbox = create(spec);
    auto stopped = std::async(std::launch::async, [&] { return sandbox.stop(); });
    if (!brutal) {
      ending.get_future().wait();
      advance(5s - 1ns);
      EXPECT_EQ(sandbox.status(), SandboxStatus::stopping) << "not before its time";
      EXPECT_EQ(stopped.wait_for(0s), std::future_status::timeout);
      EXPECT_EQ(sandbox.usage().processes, 1U);
      advance(1ns);
    }
    EXPECT_TRUE(stopped.get());
    EXPECT_EQ(asked, brutal ? 0 : 1) << "petri_terminate is not called before a brutal kill";
    EXPECT_EQ(sandbox.usage().processes, 0U);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

TEST_F(ClockTest, CountsUptimeAndSamplesBySeconds) {  // Y05, Q26, L25
  Sandbox sandbox = create(alarm());
  const std::int64_t start = number(sandbox, "time");
  const auto created = sandbox.info().created;
  EXPECT_EQ(sandbox.usage().uptime, 0ns);
  expect_soon([&] {
    EXPECT_EQ(number(sandbox, "seen"), 0);  // an idle stretch would be kept as its first and last sample
    advance(1s);
    return sandbox.usage_history().size() == 10 ? "" : "too few samples";
  });
  const auto samples = sandbox.usage_history();
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GE(samples[i].time - samples[i - 1].time, 1s);
  EXPECT_LE(samples.back().time, created + advanced_);
  EXPECT_EQ(sandbox.usage().uptime, advanced_);
  EXPECT_EQ(number(sandbox, "time"), start + std::chrono::duration_cast<std::chrono::milliseconds>(advanced_).count());
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.usage().uptime, 0ns);
  EXPECT_EQ(sandbox.info().created, created);
  EXPECT_EQ(sandbox.info().updated, created + advanced_);
}

}  // namespace
}  // namespace petri
