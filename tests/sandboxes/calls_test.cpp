// Area R: code is driven from outside and from inside, and each attempt ends in exactly one result, within its time.
#include <array>
#include <cstring>
#include <future>
#include <map>

#include "calls_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

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

}  // namespace
}  // namespace petri
