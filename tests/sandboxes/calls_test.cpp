// Area R: code is driven from outside and from inside, and each attempt ends in exactly one result, within its time.
#include <future>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class CallsTest : public RuntimeFixture {
 protected:
  // Ended while it ran, or kept from starting.
  static bool was_cancelled(const Result<Outcome>& result) {
    return result ? result->kind == OutcomeKind::cancelled : result.error().code == ErrorCode::cancelled;
  }
};

TEST_F(CallsTest, GivesBackEveryTypeBitForBit) {  // R01
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(R"((module (func (export "f") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
    (local.get 3) (local.get 2) (local.get 1) (local.get 0))))");
  Sandbox sandbox = create(spec);
  const auto outcome = sandbox.call("f", {Value(-1), Value(std::int64_t{1} << 60), Value(1.5F), Value(-0.0)});
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->values, ElementsAre(Value(-0.0), Value(1.5F), Value(std::int64_t{1} << 60), Value(-1)));
}

TEST_F(CallsTest, RunsInAFreshInstanceEachTime) {  // R02
  Sandbox sandbox = create(counter());
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(testing::not_value(sandbox.run("counter", "next"), 1), "");
  EXPECT_EQ(testing::not_value(sandbox.run("counter", "next"), 1), "");
  EXPECT_EQ(next(sandbox), 2);
}

TEST_F(CallsTest, SaysWhichOfTheFourIsUnknown) {  // R03
  Sandbox sandbox = create(counter());
  EXPECT_THAT(runtime_->find("ghost").error().message, HasSubstr("sandbox ghost"));
  EXPECT_THAT(call(sandbox, "next", "ghost").error().message, HasSubstr("process ghost"));
  EXPECT_THAT(sandbox.run("ghost", "next").error().message, HasSubstr("module ghost"));
  EXPECT_THAT(call(sandbox, "ghost").error().message, HasSubstr("ghost"));
  for (const auto& result : {call(sandbox, "next", "ghost"), sandbox.run("ghost", "next"), call(sandbox, "ghost")}) {
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
  }
}

TEST_F(CallsTest, NeedsANameWhereThereIsAChoice) {
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"x", "y"}));
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(sandbox.send("hello").error().code, ErrorCode::validation_failed);
  EXPECT_EQ(next(sandbox, "x"), 1);
}

TEST_F(CallsTest, EndsAnEndlessRunAtItsTimeOut) {  // R06, R07, R10
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    Sandbox sandbox = create(counter(std::string(name_of(tier))));
    EXPECT_EQ(next(sandbox), 1);
    EXPECT_EQ(
        testing::not_kind(sandbox.run("counter", "spin", {}, {.timeout = 10ms, .tier = tier}), OutcomeKind::deadline),
        "");
    ASSERT_TRUE(sandbox.update_limits({{"execution_time_max", 5'000'000}}));
    EXPECT_EQ(
        testing::not_kind(sandbox.run("counter", "spin", {}, {.timeout = 1h, .tier = tier}), OutcomeKind::deadline),
        "");
    EXPECT_EQ(testing::not_kind(sandbox.run("counter", "crash", {}, {.tier = tier}), OutcomeKind::trapped), "");
    EXPECT_EQ(next(sandbox), 2);
    EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
    EXPECT_EQ(sandbox.usage().memory_bytes, 65'536U);
  }
}

// R12: a run is nobody's child and has no mailbox, so all it could leave behind is refused while it runs.
TEST_F(CallsTest, LeavesNothingOfARunThatTimedOut) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec = counter(std::string(name_of(tier)));
    spec.modules.push_back({"greedy", Source::wat(R"((module
      (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
      (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
      (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
      (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
      (memory 1 100) (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"counter\"}") (data (i32.const 64) "counter")
      (func (export "f")
        (if (i32.ge_s (call $spawn (i32.const 0) (i32.const 31)) (i32.const 0)) (then unreachable))
        (if (i32.ge_s (call $timer (i32.const 0) (i64.const 1)) (i32.const 0)) (then unreachable))
        (if (i32.ge_s (call $send (i32.const 64) (i32.const 7) (i32.const 0) (i32.const 1)) (i32.const 0))
          (then unreachable))
        (drop (memory.grow (i32.const 50)))
        (loop $l (br $l)))))")});
    spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "counter", .module = "counter"}}};
    Sandbox sandbox = create(spec);
    auto events = *runtime_->subscribe({.kinds = {EventKind::process_started, EventKind::process_exited,
                                                  EventKind::run_stop, EventKind::run_exception}});
    const testing::LeakCheck check(runtime_.get());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(
          testing::not_kind(sandbox.run("greedy", "f", {}, {.timeout = 5ms, .tier = tier}), OutcomeKind::deadline), "");
    }
    EXPECT_EQ(sandbox.usage().processes, 1U);
    EXPECT_EQ(sandbox.usage().messages, 0U);
    EXPECT_EQ(sandbox.usage().memory_bytes, 65'536U);
    EXPECT_EQ(sandbox.children().size(), 1U);
    EXPECT_THAT(names(events), ElementsAre("run.stop", "run.stop", "run.stop"));
    EXPECT_EQ(next(sandbox), 1);
    EXPECT_EQ(check.leaks(), "");
  }
}

TEST_F(CallsTest, AnswersTimeoutWhileTheHandlerGoesOn) {  // R25
  Sandbox sandbox = create(counter());
  ASSERT_TRUE(sandbox.update_limits({{"execution_time_max", 60'000'000}}));
  // One that waits until its time is over is never begun: so again, until one is.
  expect_soon([&] {
    EXPECT_EQ(sandbox.call("spin", {}, {.timeout = 5ms}).error().code, ErrorCode::timeout);
    return sandbox.info().late_answers == 1 ? "" : "no late answer";
  });
  expect_restarts(sandbox, 1);  // the deadline came
}

// Whoever embeds petri may throw; that ends neither a thread of petri's nor the process.
TEST_F(CallsTest, GoesOnWhenACompletionThrows) {
  Sandbox sandbox = create(counter());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(sandbox.call_async("next", {}, {.timeout = std::chrono::hours(1)},
                                   [](const Result<Outcome>&) { throw std::runtime_error("mine"); }));
    ASSERT_TRUE(sandbox.call_async("next", {}, {}, [](const Result<Outcome>&) { throw 7; }));
  }
  expect_soon([&] { return sandbox.info().completions_threw == 20 ? "" : "not yet"; });
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, Completion()));
  EXPECT_EQ(next(sandbox), 22);
  ASSERT_TRUE(sandbox.update_limits({{"execution_time_max", 20'000'000}}));  // stop waits for one that has begun
  std::promise<ErrorCode> late;
  ASSERT_TRUE(sandbox.call_async("spin", {}, {.timeout = std::chrono::nanoseconds(1)}, [&](const Result<Outcome>& how) {
    late.set_value(how.error().code);
    throw std::runtime_error("on the thread of the timers");
  }));
  EXPECT_EQ(late.get_future().get(), ErrorCode::timeout);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(sandbox.info().completions_threw, 21U) << "an empty one throws nothing";
}

TEST_F(CallsTest, TellsATrapFromAnExit) {  // R08, R09
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"c"}, 100));
  const auto trapped = sandbox.run("counter", "crash");
  ASSERT_TRUE(trapped);
  EXPECT_EQ(trapped->trap, TrapCode::unreachable);
  const auto exited = sandbox.call("exit", {3});
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->kind, OutcomeKind::exited);
  EXPECT_EQ(exited->exit_code, 3);
}

TEST_F(CallsTest, CancelsRunsWhenTheSandboxIsStopped) {  // R11
  Sandbox sandbox = create(counter());
  auto events = *runtime_->subscribe({.kinds = {EventKind::run_start}});
  auto run = std::async(std::launch::async, [&] { return sandbox.run("counter", "spin"); });
  ASSERT_NE(events.wait_until(std::chrono::steady_clock::now() + 30s), nullptr);
  ASSERT_TRUE(sandbox.stop());
  const auto outcome = run.get();
  EXPECT_TRUE(was_cancelled(outcome));
  EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
}

TEST_F(CallsTest, TellsFuelMemoryTimesAndTierOfEveryOutcome) {  // R14, R15
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"c"}, 100));
  for (const std::string function : {"next", "crash"}) {
    const auto outcome = call(sandbox, function);
    ASSERT_TRUE(outcome);
    EXPECT_GT(outcome->fuel_used, 0U);
    EXPECT_EQ(outcome->memory_peak_bytes, 65'536U);
    EXPECT_GT(outcome->wall_time.count(), 0);
    EXPECT_EQ(outcome->tier, Tier::interpreted);
    EXPECT_EQ(outcome->artifact, sandbox.info().modules[0].artifact);
  }
}

TEST_F(CallsTest, ReturnsFromSendBeforeTheMessageIsHandled) {  // R16
  SandboxSpec spec = counter();
  spec.modules[0].source =
      Source::wat(R"((module (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
    (global $n (mut i32) (i32.const 0)) (global $bad (mut i32) (i32.const 0))
    (memory 1)
    (func (export "petri_handle") (result i32)
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4)))
      (if (i32.ne (i32.load (i32.const 0)) (global.get $n)) (then (global.set $bad (i32.const 1))))
      (global.set $n (i32.add (global.get $n) (i32.const 1))) (i32.const 0))
    (func (export "seen") (result i32 i32) (global.get $n) (global.get $bad))))");
  Sandbox sandbox = create(spec);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    const std::string bytes(reinterpret_cast<const char*>(&i), sizeof(i));
    ASSERT_TRUE(sandbox.send(bytes));
  }
  const auto seen = sandbox.call("seen");
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->values, ElementsAre(Value(5'000), Value(0)));
}

TEST_F(CallsTest, CompletesAsynchronousCallsAndCancelsThem) {  // R13, R22
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
  auto sandbox = runtime->create({.id = "a", .modules = {{"m", Source::wat(R"((module
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
