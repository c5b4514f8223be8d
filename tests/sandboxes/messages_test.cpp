// Area R: messages, timers, calls that nobody waits for, and the code that is called.
#include <future>
#include <latch>
#include <map>

#include "calls_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

TEST_F(CallsTest, ReturnsFromSendBeforeTheMessageIsHandled) {  // R16, Q13
  testing::ManualTime time;
  Sandbox sandbox = holder(time);
  ASSERT_TRUE(sandbox.call_async("hold", {}, {}, nullptr));
  holding_.get_future().wait();
  for (std::uint32_t i = 0; i < 10'000; ++i) ASSERT_TRUE(sandbox.send(number_bytes(i)));
  EXPECT_EQ(sandbox.usage().messages, 10'000U) << "none is handled yet";
  const auto full = sandbox.send(number_bytes(10'000));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::queue_full);
  EXPECT_EQ(full.error().message, "10000 messages wait for holder and message_queue_max allows no more");
  EXPECT_EQ(sandbox.call("seen").error().code, ErrorCode::queue_full);
  EXPECT_EQ(sandbox.usage().messages, 10'000U);
  let_go_.set_value();
  expect_soon([&] { return sandbox.usage().messages < 10'000 ? "" : "none is handled yet"; });
  ASSERT_TRUE(sandbox.send(number_bytes(10'000))) << "once one is handled";
  expect_soon([&] { return sandbox.usage().messages == 0 ? "" : "some wait"; });
  const auto seen = sandbox.call("seen");
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->values, ElementsAre(Value(10'001), Value(0))) << "once each, and in order";
  runtime_.reset();  // before its clock
}

// R17: nobody answers, and nothing is made that could.
TEST_F(CallsTest, RefusesEverythingWhereNothingRuns) {
  const auto sandbox_that = [&](const std::string& id) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"p"}, 0);
    spec.id = id;
    if (id == "isolated") spec.recovery.emplace().actions = {{ErrorCategory::runtime, RecoveryAction::isolate}};
    Sandbox sandbox = create(spec);
    if (id == "stopped") {
      EXPECT_TRUE(sandbox.stop());
    } else {
      EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
    }
    expect_soon([&] { return name_of(sandbox.status()) == id ? "" : "not yet"; });
    return sandbox;
  };
  const std::string cause = "the supervisor gave up restarting; the last that ended was p (trapped)";
  for (const auto& [id, why] :
       std::map<std::string, std::string>{{"stopped", ""}, {"failed", cause}, {"isolated", cause}}) {
    Sandbox sandbox = sandbox_that(id);
    const Usage before = sandbox.usage();
    auto events = *runtime_->subscribe({.sandbox = id});
    const std::string refused =
        "rejected: the sandbox " + id + " is " + id + (why.empty() ? "; restart it first" : ": " + why);
    const auto refusal = [](const auto& result) {
      return result ? "ok" : std::string(name_of(result.error().code)) + ": " + result.error().message;
    };
    EXPECT_EQ(refusal(call(sandbox, "next")), refused);
    const Error error = call(sandbox, "next").error();
    EXPECT_EQ(error.detail("status"), id);
    EXPECT_EQ(error.detail("cause"), why);
    EXPECT_EQ(refusal(sandbox.call_async("next", {}, {}, nullptr)), refused);
    EXPECT_EQ(refusal(sandbox.send("x")), refused);
    EXPECT_EQ(refusal(sandbox.run("counter", "next")), refused);
    EXPECT_EQ(refusal(sandbox.run(Source::wat("(module (func (export \"f\")))"), "f")), refused);
    EXPECT_EQ(refusal(sandbox.run_async("counter", "next", {}, {}, nullptr)), refused);
    EXPECT_EQ(sandbox.info().cause, why);
    EXPECT_EQ(sandbox.usage().fuel_used, before.fuel_used);
    EXPECT_EQ(sandbox.usage().memory_bytes, before.memory_bytes);
    EXPECT_EQ(sandbox.usage().messages, 0U);
    std::vector<std::string> kinds = names(events);
    std::erase(kinds, "usage.sampled");
    EXPECT_THAT(kinds, ::testing::IsEmpty());
  }
}

TEST_F(CallsTest, CompletesAsynchronousCallsAndCancelsThem) {  // R22
  Sandbox sandbox = create(counter());
  std::promise<Result<Outcome>> first, second, third;
  const auto spinning =
      sandbox.call_async("spin", {}, {}, [&](Result<Outcome> result) { first.set_value(std::move(result)); });
  const auto queued =
      sandbox.call_async("next", {}, {}, [&](Result<Outcome> result) { second.set_value(std::move(result)); });
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, [&](Result<Outcome> result) { third.set_value(std::move(result)); }));
  ASSERT_TRUE(spinning && queued);
  EXPECT_TRUE(sandbox.cancel(*queued));
  EXPECT_EQ(second.get_future().get().error().code, ErrorCode::cancelled);
  expect_soon([&] { return sandbox.cancel(*spinning) ? "" : "not running yet"; });
  const auto ended = first.get_future().get();
  EXPECT_TRUE(was_cancelled(ended));
  EXPECT_EQ(testing::not_value(third.get_future().get(), 1), "");
  EXPECT_EQ(sandbox.cancel(*spinning).error().code, ErrorCode::not_found);
}

TEST_F(CallsTest, StopsACallByItsToken) {  // R22
  Sandbox sandbox = create(counter());
  std::stop_source stop;
  auto running = std::async(std::launch::async, [&] { return sandbox.call("spin", {}, {.stop = stop.get_token()}); });
  expect_soon([&] {
    stop.request_stop();
    return running.wait_for(0s) == std::future_status::ready ? "" : "still running";
  });
  EXPECT_TRUE(was_cancelled(running.get()));
}

TEST_F(CallsTest, DeliversATimerOnceAndNotBeforeItsTime) {  // R23, R27
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (import "petri" "message_kind" (func $kind (result i32)))
    (import "petri" "message_tag" (func $tag (result i64)))
    (global $tags (mut i64) (i64.const 0)) (global $count (mut i32) (i32.const 0))
    (func (export "set") (result i32) (call $timer (i32.const 5) (i64.const 7)))
    (func (export "petri_handle") (result i32)
      (if (i32.eq (call $kind) (i32.const 3))
        (then (global.set $tags (call $tag)) (global.set $count (i32.add (global.get $count) (i32.const 1)))))
      (i32.const 0))
    (func (export "seen") (result i64 i32) (global.get $tags) (global.get $count))))");
  Sandbox sandbox = create(spec);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(testing::not_value(sandbox.call("set"), 0), "");
  expect_soon([&] {
    const auto seen = sandbox.call("seen");
    return seen && seen->values[1] == Value(1) ? "" : "no timer yet";
  });
  EXPECT_GE(std::chrono::steady_clock::now() - before, 5ms);
  EXPECT_EQ(sandbox.call("seen")->values[0], Value(std::int64_t{7}));
}

// It has rung and waits behind the handler that crashes: the next instance handles what waits, but has set no timer.
TEST_F(CallsTest, RingsNoTimerOfAnInstanceThatHasCrashed) {  // R23
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    std::latch waits(1), has_rung(1);
    HostFunctions host;
    ASSERT_TRUE(host.define("test", "wait", [&] {
      waits.count_down();
      has_rung.wait();
    }));
    runtime_ = *Runtime::create({.workers = 2, .host = host});
    Sandbox sandbox = create({.id = "a",
                              .modules = {{"m", Source::wat(R"((module
      (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
      (import "petri" "message_kind" (func $kind (result i32)))
      (import "test" "wait" (func $wait))
      (global $kinds (mut i32) (i32.const 0))
      (func (export "set_and_crash") (drop (call $timer (i32.const 1) (i64.const 7))) (call $wait) unreachable)
      (func (export "petri_handle") (result i32)
        (global.set $kinds (i32.add (i32.mul (global.get $kinds) (i32.const 10)) (call $kind))) (i32.const 0))
      (func (export "kinds") (result i32) (global.get $kinds))))")}},
                              .tier = tier});
    std::promise<Result<Outcome>> crashed;
    ASSERT_TRUE(
        sandbox.call_async("set_and_crash", {}, {}, [&](Result<Outcome> result) { crashed.set_value(result); }));
    waits.wait();
    expect_soon([&] { return sandbox.usage().messages == 1 ? "" : "the timer has not rung"; });
    ASSERT_TRUE(sandbox.send("sent behind it"));
    EXPECT_EQ(sandbox.usage().messages, 2U);
    has_rung.count_down();
    EXPECT_EQ(testing::not_kind(crashed.get_future().get(), OutcomeKind::trapped), "");
    expect_restarts(sandbox, 1);
    EXPECT_EQ(testing::not_value(sandbox.call("kinds"), 2), "") << "only what was sent is handled";
    EXPECT_EQ(sandbox.usage().messages, 0U);
    runtime_.reset();  // before what its host function uses
  }
}

TEST_F(CallsTest, EndsAProcessWhoseHandlerDoesNotReturnZero) {  // R27
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module (func (export "petri_handle") (result i32) (i32.const 4))))");
  Sandbox sandbox = create(spec);
  const auto outcome = sandbox.call("");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::exited);
  EXPECT_EQ(outcome->exit_code, 4);
  expect_restarts(sandbox, 1);
}

TEST_F(CallsTest, CallsFunctionsOfTheEmbedder) {  // R28
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "double", [](std::int32_t x) { return 2 * x; }));
  const auto runtime = *Runtime::create({.workers = 1, .host = host});
  auto sandbox = runtime->create_sandbox({.id = "a", .modules = {{"m", Source::wat(R"((module
    (import "game" "double" (func $double (param i32) (result i32)))
    (func (export "f") (param i32) (result i32) (call $double (local.get 0)))))")}}});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  EXPECT_EQ(testing::not_value(sandbox->call("f", {21}), 42), "");
}

TEST_F(CallsTest, MovesAHotProcessToCompiledCodeBetweenTwoCalls) {  // X10, A19
  runtime_ = *Runtime::create({.workers = 2, .promote_fuel = 1'000, .promote_fuel_per_byte = 0});
  Sandbox sandbox = create(counter());
  std::int32_t expected = 0;
  std::uint64_t fuel = 0;
  expect_soon([&] {
    for (int i = 0; i < 200; ++i) {
      const auto outcome = sandbox.call("next");
      EXPECT_EQ(testing::not_value(outcome, ++expected), "");
      if (fuel == 0) fuel = outcome->fuel_used;
      EXPECT_EQ(outcome->fuel_used, fuel);
    }
    return sandbox.children()[0].tier == Tier::compiled ? "" : "interpreted";
  });
  EXPECT_EQ(sandbox.call("next")->tier, Tier::compiled);
  SandboxSpec spec = counter("b");
  spec.tier = Tier::interpreted;
  Sandbox other = create(spec);
  const auto moved = sandbox.call("crash"), stayed = other.call("crash");
  ASSERT_EQ(testing::not_kind(moved, OutcomeKind::trapped), "");
  EXPECT_EQ(moved->tier, Tier::compiled);
  EXPECT_EQ(moved->trap, stayed->trap);
  EXPECT_EQ(moved->fuel_used, stayed->fuel_used);
}

TEST_F(CallsTest, MakesNewInstancesOfCompiledCodeWhenManyLive) {
  std::vector<Sandbox> many;
  for (int i = 0; i < 64; ++i) many.push_back(create(counter("s" + std::to_string(i))));
  expect_soon([&] {
    Sandbox one = create(counter(testing::unique_id("more")));
    return one.children()[0].tier == Tier::compiled ? "" : "interpreted";
  });
}

TEST_F(CallsTest, RunsBytesGivenWithTheCall) {  // R29
  Sandbox sandbox = create(counter());
  EXPECT_EQ(
      testing::not_value(sandbox.run(Source::wat("(module (func (export \"f\") (result i32) (i32.const 3)))"), "f"), 3),
      "");
  EXPECT_EQ(sandbox.run(Source::wat("(module (func (export \"f\") (result v128) unreachable))"), "f").error().code,
            ErrorCode::rejected);
  EXPECT_EQ(sandbox.info().modules.size(), 1U);
  EXPECT_EQ(runtime_->info().artifacts, 1U);
}

// A WASI command that counts how often it has run.
constexpr std::string_view kCommand = R"((module (global $runs (mut i32) (i32.const 0))
  (func (export "_start") (global.set $runs (i32.add (global.get $runs) (i32.const 1))))
  (func (export "runs") (result i32) (global.get $runs))))";

TEST_F(CallsTest, RefusesASecondStartOfACommandInALiveProcess) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec = counter(std::string(name_of(tier)));
    spec.modules[0].source = Source::wat(std::string(kCommand));
    spec.tier = tier;
    Sandbox sandbox = create(spec);
    const auto before = sandbox.snapshot();
    ASSERT_TRUE(before) << before.error().message;
    EXPECT_EQ(testing::not_kind(sandbox.call("_start"), OutcomeKind::ok), "");
    for (int again = 0; again < 2; ++again) {
      const auto second = sandbox.call("_start");
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().code, ErrorCode::rejected);
      EXPECT_EQ(second.error().message,
                "the process counter has run its _start, and a WASI command runs once in an instance; use run, which "
                "makes a fresh one, or restart the sandbox");
    }
    EXPECT_EQ(testing::not_value(sandbox.call("runs"), 1), "");

    const auto after = Snapshot::from_bytes(sandbox.snapshot()->to_bytes());
    ASSERT_TRUE(after) << after.error().message;
    ASSERT_TRUE(sandbox.restore(*before));
    EXPECT_EQ(testing::not_kind(sandbox.call("_start"), OutcomeKind::ok), "");
    ASSERT_TRUE(sandbox.restart());
    EXPECT_EQ(testing::not_kind(sandbox.call("_start"), OutcomeKind::ok), "");
    ASSERT_TRUE(sandbox.restart());
    ASSERT_TRUE(sandbox.restore(*after));
    EXPECT_EQ(sandbox.call("_start").error().code, ErrorCode::rejected);
  }
}

TEST_F(CallsTest, PutWhatACalleeBurnsOnTheAccountOnce) {  // Q25, R26
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"caller", "callee"});
    spec.id = name_of(tier);
    spec.tier = tier;
    spec.modules[0].source =
        Source::wat(R"((module (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 0) "callee")
      (func (export "ask") (result i32)
        (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0)))
      (func (export "petri_handle") (result i32) (local i32)
        (local.set 0 (i32.const 10000))
        (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.const 0))))");
    Sandbox sandbox = create(spec);
    const std::uint64_t before = sandbox.usage().fuel_used;
    const auto outcome = call(sandbox, "ask", "caller");
    ASSERT_EQ(testing::not_value(outcome, 0), "");
    EXPECT_GT(outcome->fuel_used, 50'000U);
    EXPECT_EQ(sandbox.usage().fuel_used - before, outcome->fuel_used);
  }
}

}  // namespace
}  // namespace petri
