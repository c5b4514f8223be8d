// Area R: code is driven from outside and from inside, and each attempt ends in exactly one result, within its time.
#include <array>
#include <cstring>
#include <future>
#include <latch>
#include <map>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Waits in a function of the host's, and continues when it may: `hold` as a call, any message as a message.
constexpr std::string_view kHolder = R"((module
  (import "test" "gate" (func $gate))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1)
  (global $next (mut i32) (i32.const 0)) (global $bad (mut i32) (i32.const 0))
  (func (export "hold") (call $gate))
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32)
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4)))
    (if (i32.ne (i32.load (i32.const 0)) (global.get $next)) (then (global.set $bad (i32.const 1))))
    (global.set $next (i32.add (global.get $next) (i32.const 1))) (i32.const 0))
  (func (export "seen") (result i32 i32) (global.get $next) (global.get $bad))))";

class CallsTest : public RuntimeFixture {
 protected:
  // A sandbox of kHolder on a clock that is moved by hand. `holding_` is set once `hold` waits, and `let_go_` ends
  // that.
  Sandbox holder(const testing::ManualTime& time, Tier tier = Tier::automatic) {
    RuntimeOptions options = without_containment();
    options.clock = time.clock();
    EXPECT_TRUE(options.host.define("test", "gate", [this] {
      holding_.set_value();
      let_go_.get_future().wait();
    }));
    runtime_ = *Runtime::create(std::move(options));
    return create({.id = "a", .modules = {{"holder", Source::wat(std::string(kHolder))}}, .tier = tier});
  }
  static std::string number_bytes(std::uint32_t number) { return {reinterpret_cast<const char*>(&number), 4}; }

  std::promise<void> holding_, let_go_;
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
    const SandboxInfo before = sandbox.info();
    auto events = *runtime_->subscribe({.sandbox = sandbox.id(), .kinds = {EventKind::killed_timeout}});
    // The limit that ended it, and its value.
    const auto ended_after = [&](std::optional<std::chrono::nanoseconds> timeout) {
      const auto outcome =
          sandbox.run("counter", "spin", {}, {.timeout = timeout, .fuel_max = 1ULL << 60, .tier = tier});
      EXPECT_EQ(testing::not_kind(outcome, OutcomeKind::deadline), "");
      const EventPtr event = events.next();
      EXPECT_EQ(events.next(), nullptr);
      const std::chrono::nanoseconds allowed(event ? event->count("allowed") : 0);
      EXPECT_GE(outcome->wall_time, allowed);
      return allowed;
    };
    EXPECT_EQ(ended_after(10ms), 10ms);
    ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::milliseconds(5)}));
    EXPECT_EQ(ended_after(4ms), 4ms) << "the caller's is the smaller one";
    EXPECT_EQ(ended_after(1h), 5ms) << "the limit is";
    EXPECT_EQ(ended_after(std::nullopt), 5ms) << "none given";
    EXPECT_EQ(ended_after(std::chrono::nanoseconds::max()), 5ms) << "an infinite one";
    EXPECT_EQ(testing::not_kind(sandbox.run("counter", "crash", {}, {.tier = tier}), OutcomeKind::trapped), "");
    EXPECT_EQ(next(sandbox), 2);
    EXPECT_EQ(sandbox.status(), SandboxStatus::running);
    EXPECT_EQ(sandbox.info().tree, before.tree);
    EXPECT_EQ(sandbox.info().restarts, 0U);
    EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
    EXPECT_EQ(sandbox.usage().processes, 1U);
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
      (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
      (memory 1 100) (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"counter\"}") (data (i32.const 64) "counter")
      (func (export "f")
        (i32.store (i32.const 128) (call $spawn (i32.const 0) (i32.const 31)))
        (i32.store (i32.const 132) (call $timer (i32.const 0) (i64.const 1)))
        (i32.store (i32.const 136) (call $send (i32.const 64) (i32.const 7) (i32.const 0) (i32.const 1)))
        (drop (call $write (i32.const 128) (i32.const 12)))
        (drop (memory.grow (i32.const 50)))
        (loop $l (br $l)))))")});
    spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "counter", .module = "counter"}}};
    Sandbox sandbox = create(spec);
    auto events = *runtime_->subscribe({.kinds = {EventKind::process_started, EventKind::process_exited,
                                                  EventKind::run_stop, EventKind::run_exception}});
    const testing::LeakCheck check(runtime_.get());
    const Usage before = sandbox.usage();
    for (int i = 0; i < 3; ++i) {
      const auto outcome = sandbox.run("greedy", "f", {}, {.timeout = 5ms, .tier = tier});
      ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::deadline), "");
      ASSERT_EQ(outcome->output.size(), 12U);
      std::array<GuestError, 3> answers{};
      std::memcpy(answers.data(), outcome->output.data(), 12);
      EXPECT_THAT(answers, ElementsAre(GuestError::not_now, GuestError::not_now, GuestError::not_found))
          << "spawn, timer, send";
    }
    EXPECT_EQ(sandbox.usage().processes, 1U);
    EXPECT_EQ(sandbox.usage().messages, 0U);
    EXPECT_EQ(sandbox.usage().host_bytes, before.host_bytes) << "no timer either";
    EXPECT_EQ(sandbox.usage().memory_bytes, 65'536U);
    EXPECT_EQ(sandbox.children().size(), 1U);
    EXPECT_THAT(names(events), ElementsAre("run.stop", "run.stop", "run.stop"));
    EXPECT_EQ(next(sandbox), 1);
    EXPECT_EQ(check.leaks(), "");
  }
}

TEST_F(CallsTest, AnswersTimeoutWhileTheHandlerContinues) {  // R25
  Sandbox sandbox = create(counter());
  ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::milliseconds(60)}));
  // One that waits until its time is over is never started: so again, until one is.
  expect_soon([&] {
    EXPECT_EQ(sandbox.call("spin", {}, {.timeout = 5ms}).error().code, ErrorCode::timeout);
    return sandbox.info().late_answers == 1 ? "" : "no late answer";
  });
  expect_restarts(sandbox, 1);  // the deadline came
}

// An embedder's callback may throw; that ends neither a thread of petri's nor the process.
TEST_F(CallsTest, ContinuesWhenACompletionThrows) {
  Sandbox sandbox = create(counter());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(sandbox.call_async("next", {}, {.timeout = std::chrono::hours(1)},
                                   [](const Result<Outcome>&) { throw std::runtime_error("mine"); }));
    ASSERT_TRUE(sandbox.call_async("next", {}, {}, [](const Result<Outcome>&) { throw 7; }));
  }
  expect_soon([&] { return sandbox.info().completions_threw == 20 ? "" : "not yet"; });
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, Completion()));
  EXPECT_EQ(next(sandbox), 22);
  ASSERT_TRUE(sandbox.update_limits(
      {.execution_time_max = std::chrono::milliseconds(20)}));  // stop waits for one that has started
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

// R11: it is beside the tree; only the end of the sandbox ends it.
TEST_F(CallsTest, CancelsRunsWithTheSandboxAndNotWithItsTree) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    for (const bool destroys : {false, true}) {
      Sandbox sandbox = create(tree(Strategy::one_for_all, {"x", "y", "z"}, 10));
      EXPECT_EQ(next(sandbox, "x"), 1);
      std::promise<Result<Outcome>> promise;
      auto ended = promise.get_future();
      const std::uint64_t before = sandbox.usage().fuel_used;
      ASSERT_TRUE(sandbox.run_async("counter", "spin", {}, {.fuel_max = 1ULL << 60, .tier = tier},
                                    [&](Result<Outcome> result) { promise.set_value(std::move(result)); }));
      const auto expect_burning = [&](std::uint64_t since) {
        expect_soon([&] { return sandbox.usage().fuel_used > since + 50'000 ? "" : "it does not run"; });
      };
      expect_burning(before);
      for (std::uint64_t crash = 1; crash <= 3; ++crash) {
        EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "y"), OutcomeKind::trapped), "");
        expect_restarts(sandbox, 3 * crash);
      }
      EXPECT_EQ(next(sandbox, "x"), 1) << "the whole tree was restarted";
      EXPECT_EQ(ended.wait_for(0s), std::future_status::timeout) << "and the run goes on";
      expect_burning(sandbox.usage().fuel_used);
      ASSERT_TRUE(destroys ? runtime_->destroy("a") : sandbox.stop());
      EXPECT_EQ(testing::not_kind(ended.get(), OutcomeKind::cancelled), "");
      EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
      EXPECT_EQ(runtime_->destroy("a").has_value(), !destroys);
    }
  }
}

// Meets what it is told to.
constexpr std::string_view kEveryEnd = R"((module
  (import "petri" "exit" (func $exit (param i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (func (export "ok") (drop (i32.const 1)))
  (func (export "trapped") unreachable)
  (func $spin (export "deadline") (loop $again (br $again)))
  (func (export "out_of_fuel") (call $spin))
  (func (export "cpu_limit") (call $spin))
  (func (export "cancelled") (call $spin))
  (func (export "memory_limit") (drop (memory.grow (i32.const 2))))
  (func $deep (export "stack_overflow") (call $deep))
  (func (export "output_limit") (drop (call $write (i32.const 0) (i32.const 100))))
  (func (export "exited") (call $exit (i32.const 1)))))";

TEST_F(CallsTest, ReportsTheSameOfEveryOutcomeWhateverItsKind) {  // R14
  const std::map<std::string, LimitChanges> kinds{
      {"ok", {}},
      {"trapped", {}},
      {"deadline", {.execution_time_max = std::chrono::milliseconds(2)}},
      {"out_of_fuel", {.fuel_max = 1'000}},
      {"cpu_limit", {.cpu_percent_max = 20, .cpu_grace = std::chrono::milliseconds(1)}},
      {"cancelled", {}},
      {"memory_limit", {.memory_bytes_max = 2 * 65'536}},
      {"stack_overflow", {.call_depth_max = 16}},
      {"output_limit", {.output_bytes_max = 10}},
      {"exited", {}}};
  RuntimeOptions options = without_containment();
  options.compile.in_process = true;
  runtime_ = *Runtime::create(std::move(options));
  for (const auto& [tier, deterministic] : {std::pair(Tier::interpreted, false), std::pair(Tier::interpreted, true),
                                            std::pair(Tier::compiled, false), std::pair(Tier::compiled, true)}) {
    for (const auto& [kind, limits] : kinds) {
      SandboxSpec spec = tree(Strategy::one_for_one, {"c"}, 100);
      spec.modules[0].source = Source::wat(std::string(kEveryEnd));
      spec.limits = limits;
      spec.on_limit = {{"memory_bytes_max", OnLimit::kill}};
      spec.tier = tier;
      spec.seed = 5;
      spec.deterministic = deterministic;
      Sandbox sandbox = create(spec);
      for (const bool runs : {false, true}) {
        std::stop_source stop;
        auto pending = std::async(std::launch::async, [&] {
          return runs ? sandbox.run("counter", kind, {}, {.stop = stop.get_token()})
                      : sandbox.call(kind, {}, {.stop = stop.get_token()});
        });
        if (kind == "cancelled") {
          const std::uint64_t before = sandbox.usage().fuel_used;
          expect_soon([&] { return sandbox.usage().fuel_used > before ? "" : "it does not run"; });
          stop.request_stop();
        }
        const auto outcome = pending.get();
        const std::string which = kind + " " + std::string(name_of(tier)) + (runs ? " run" : " call") +
                                  (deterministic ? " deterministic" : "");
        ASSERT_TRUE(outcome) << which << ": " << outcome.error().message;
        EXPECT_EQ(name_of(outcome->kind), kind) << which;
        EXPECT_GT(outcome->fuel_used, 0U) << which;
        EXPECT_EQ(outcome->memory_peak_bytes, kind == "output_limit" ? 65'546U : 65'536U) << which;
        EXPECT_GT(outcome->wall_time, 0ns) << which;
        EXPECT_GE(outcome->queue_time, 0ns) << which;
        EXPECT_EQ(outcome->artifact, sandbox.info().modules[0].artifact) << which;
        EXPECT_EQ(outcome->version, 1U) << which;
        EXPECT_EQ(outcome->tier, tier) << which;
        EXPECT_EQ(outcome->seed, deterministic || runs ? std::optional<std::uint64_t>(5) : std::nullopt) << which;
        expect_soon([&] { return sandbox.usage().processes == 1 ? "" : "not back yet"; });
      }
      ASSERT_TRUE(runtime_->destroy("a"));
    }
  }
}

// R15: a call that waits for an hour behind another has a queue time of an hour; its own time starts when it does.
TEST_F(CallsTest, ReportsHowLongACallHasWaitedAndCountsItsTimeFromItsStart) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    testing::ManualTime time;
    holding_ = {};
    let_go_ = {};
    Sandbox sandbox = holder(time, tier);
    ASSERT_TRUE(sandbox.call_async("hold", {}, {}, nullptr));
    holding_.get_future().wait();
    ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::seconds(1)}));
    std::promise<Result<Outcome>> promise;
    ASSERT_TRUE(
        sandbox.call_async("seen", {}, {}, [&](Result<Outcome> result) { promise.set_value(std::move(result)); }));
    time.advance(*runtime_, 1h);
    let_go_.set_value();
    const auto waited = promise.get_future().get();
    ASSERT_EQ(testing::not_kind(waited, OutcomeKind::ok), "") << "an hour is more than execution_time_max";
    EXPECT_EQ(waited->queue_time, 1h);
    EXPECT_EQ(waited->wall_time, 0ns) << "the clock stands still from its own start on";
    EXPECT_EQ(sandbox.call("seen")->queue_time, 0ns) << "an idle process answers at once";
    runtime_.reset();  // before its clock
  }
}

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
