// Runs of a sandbox: on its account, within its share, now or later.
#include <future>
#include <stdexcept>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

// Prints for ever.
constexpr std::string_view kPrinter = R"((module
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "0123456789")
  (func (export "print") (loop $again (drop (call $write (i32.const 0) (i32.const 4))) (br $again)))
  (func (export "print_thrice") (result i32)
    (drop (call $write (i32.const 0) (i32.const 4)))
    (drop (call $write (i32.const 0) (i32.const 4)))
    (call $write (i32.const 0) (i32.const 4)))))";

// Gives its number of arguments, and writes all of them.
constexpr std::string_view kArguments = R"((module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (func (export "show") (result i32)
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $args (i32.const 16) (i32.const 256)))
    (drop (call $write (i32.const 256) (i32.load (i32.const 4))))
    (i32.load (i32.const 0)))))";

// Sleeps for its argument, in milliseconds; reads the clock.
constexpr std::string_view kSleepingRun = R"((module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "petri" "clock_ms" (func $clock (result i64)))
  (import "petri" "random" (func $random (result i64)))
  (memory 1)
  (func (export "sleep") (param i64) (result i32)
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.mul (local.get 0) (i64.const 1000000)))
    (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))
  (func (export "time") (result i64) (call $clock))
  (func (export "draw") (result i64) (call $random))))";

class RunsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SandboxSpec of(std::string_view text) const {
    SandboxSpec spec = counter();
    spec.modules[0].source = Source::wat(std::string(text));
    spec.tier = GetParam();
    return spec;
  }
  // The future result of a run.
  struct Later {
    std::shared_ptr<std::promise<Result<Outcome>>> promise = std::make_shared<std::promise<Result<Outcome>>>();
    std::future<Result<Outcome>> result = promise->get_future();
    Completion completion() const {
      return [promise = promise](Result<Outcome> how) { promise->set_value(std::move(how)); };
    }
  };
  // Starts one and waits until it runs.
  std::uint64_t begin(Sandbox& sandbox, std::string_view function, const Later& later) {
    const std::uint64_t before = sandbox.usage().fuel_used;
    const auto run = sandbox.run_async("counter", function, {}, {}, later.completion());
    EXPECT_TRUE(run) << run.error().message;
    expect_soon([&] { return sandbox.usage().fuel_used > before + 10'000 ? "" : "not running yet"; });
    return run.value_or(0);
  }
};

// ---- later ----------------------------------------------------------------------------------------------------

// The embedder's callback may throw, when a run ends and when it is cancelled.
TEST_P(RunsTest, ContinueWhenACompletionThrows) {
  Sandbox sandbox = create(of(kCounter));
  const auto throwing = [](const Result<Outcome>&) { throw std::runtime_error("mine"); };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sandbox.run_async("counter", "next", {}, {}, throwing));
  expect_soon([&] { return sandbox.info().completions_threw == 3 ? "" : "not yet"; });
  ASSERT_TRUE(sandbox.run_async("counter", "spin", {}, {}, throwing));
  ASSERT_TRUE(sandbox.stop());
  expect_soon([&] { return sandbox.info().completions_threw == 4 ? "" : "the one that was cancelled is not counted"; });
}

// A caller that wants no answer gives no completion.
TEST_P(RunsTest, AndCallsNeedNoCompletion) {
  Sandbox sandbox = create(of(kCounter));
  ASSERT_TRUE(sandbox.run_async("counter", "next", {}, {}, nullptr));
  ASSERT_TRUE(sandbox.run_async("counter", "spin", {}, {}, nullptr));
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, nullptr));
  ASSERT_TRUE(sandbox.call_async("next", {}, {.timeout = 1h}, nullptr));
  EXPECT_EQ(next(sandbox), 3);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(sandbox.info().completions_threw, 0U);
}

TEST_P(RunsTest, AreCompletedLater) {  // R22
  Sandbox sandbox = create(of(kCounter));
  Later first, second;
  ASSERT_TRUE(sandbox.run_async("counter", "add", {2, 3}, {}, first.completion()));
  ASSERT_TRUE(sandbox.run_async(Source::wat("(module (func (export \"f\") (result i32) (i32.const 3)))"), "f", {}, {},
                                second.completion()));
  const auto outcome = first.result.get();
  EXPECT_EQ(testing::not_value(outcome, 5), "");
  EXPECT_EQ(outcome->tier, GetParam());
  EXPECT_EQ(outcome->version, 1U);
  EXPECT_GE(outcome->queue_time.count(), 0);
  const auto given = second.result.get();
  EXPECT_EQ(testing::not_value(given, 3), "");
  EXPECT_EQ(given->version, 0U);
}

TEST_P(RunsTest, AreCancelledWhileTheyRun) {  // R22
  Sandbox sandbox = create(of(kCounter));
  Later later;
  const std::uint64_t run = begin(sandbox, "spin", later);
  EXPECT_TRUE(sandbox.cancel(run));
  EXPECT_EQ(testing::not_kind(later.result.get(), OutcomeKind::cancelled), "");
  const auto again = sandbox.cancel(run);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::not_found);
  EXPECT_EQ(again.error().message, "the call or run " + std::to_string(run) + " is neither waiting nor running in a");
  EXPECT_EQ(next(sandbox), 1);
}

TEST_P(RunsTest, AreKeptFromStarting) {  // R22
  SandboxSpec spec = of(kCounter);
  spec.limits = {.threads_max = 1};
  Sandbox sandbox = create(spec);
  Later running, waiting;
  const std::uint64_t first = begin(sandbox, "spin", running);
  const auto second = sandbox.run_async("counter", "next", {}, {}, waiting.completion());
  ASSERT_TRUE(second);
  EXPECT_TRUE(sandbox.cancel(*second));
  const auto kept = waiting.result.get();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::cancelled);
  EXPECT_EQ(kept.error().message, "the run was cancelled before it began");
  EXPECT_TRUE(sandbox.cancel(first));
  EXPECT_EQ(testing::not_kind(running.result.get(), OutcomeKind::cancelled), "");
}

TEST_P(RunsTest, EndWithTheirSandbox) {  // R11
  SandboxSpec spec = of(kCounter);
  spec.limits = {.threads_max = 1};
  Sandbox sandbox = create(spec);
  Later running, waiting;
  begin(sandbox, "spin", running);
  ASSERT_TRUE(sandbox.run_async("counter", "next", {}, {}, waiting.completion()));
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_EQ(testing::not_kind(running.result.get(), OutcomeKind::cancelled), "");
  EXPECT_EQ(waiting.result.get().error().message, "the run was cancelled before it began");
  const auto late = sandbox.run_async("counter", "next", {}, {}, [](const Result<Outcome>&) {});
  EXPECT_EQ(late.error().message, "there is no sandbox a: it was destroyed");
}

TEST_P(RunsTest, WaitInABoundedNumber) {
  SandboxSpec spec = of(kCounter);
  spec.limits = {.message_queue_max = 2, .threads_max = 1};
  Sandbox sandbox = create(spec);
  Later running;
  const std::uint64_t first = begin(sandbox, "spin", running);
  std::vector<Later> waiting(2);
  for (const Later& one : waiting) ASSERT_TRUE(sandbox.run_async("counter", "next", {}, {}, one.completion()));
  const auto refused = sandbox.run_async("counter", "next", {}, {}, [](const Result<Outcome>&) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::queue_full);
  EXPECT_EQ(refused.error().message, "2 runs wait in a and message_queue_max allows no more");
  EXPECT_TRUE(sandbox.cancel(first));
  for (Later& one : waiting) EXPECT_EQ(testing::not_value(one.result.get(), 1), "");
}

// ---- the account ----------------------------------------------------------------------------------------------

TEST_P(RunsTest, AreInTheUsageWhileTheyRun) {  // Q25
  Sandbox sandbox = create(of(kCounter));
  const Usage before = sandbox.usage();
  Later later;
  const std::uint64_t run = begin(sandbox, "spin", later);
  expect_soon([&] {
    const Usage now = sandbox.usage();
    return now.fuel_used > before.fuel_used + 1'000'000 && now.cpu_time > before.cpu_time + 5ms ? "" : "not yet";
  });
  const std::uint64_t meanwhile = sandbox.usage().fuel_used;
  EXPECT_TRUE(sandbox.cancel(run));
  const auto outcome = later.result.get();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(sandbox.usage().fuel_used, before.fuel_used + outcome->fuel_used);
  EXPECT_LE(meanwhile, sandbox.usage().fuel_used);
}

TEST_P(RunsTest, AreChargedForTheProcessorNotForTheWall) {  // Q25
  Sandbox sandbox = create(of(kSleepingRun));
  const auto before = sandbox.usage().cpu_time;
  const auto outcome = sandbox.run("counter", "sleep", {Value(std::int64_t{100})});
  ASSERT_EQ(testing::not_value(outcome, 0), "");
  EXPECT_GE(outcome->wall_time, 100ms);
  EXPECT_LT(sandbox.usage().cpu_time - before, 50ms);
}

// ---- outcomes -------------------------------------------------------------------------------------------------

TEST_P(RunsTest, EndWhereTheyPrintTooMuch) {
  SandboxSpec spec = of(kPrinter);
  spec.limits = {.output_bytes_max = 10};
  Sandbox sandbox = create(spec);
  const auto endless = sandbox.run("counter", "print"), thrice = sandbox.run("counter", "print_thrice");
  for (const auto* outcome : {&endless, &thrice}) {
    ASSERT_EQ(testing::not_kind(*outcome, OutcomeKind::output_limit), "");
    EXPECT_EQ((*outcome)->cause, "output_bytes_max");
    EXPECT_FALSE((*outcome)->returned);
    EXPECT_EQ((*outcome)->output, "0123012301");
    EXPECT_EQ((*outcome)->output_bytes_cut, 2U);
    EXPECT_LT((*outcome)->fuel_used, 100U);
  }
}

TEST_P(RunsTest, ContinueWhereTheyPrintTooMuchIfAskedTo) {
  SandboxSpec spec = of(kPrinter);
  spec.limits = {.fuel_max = 100'000, .output_bytes_max = 10};
  spec.on_limit = {{"output_bytes_max", OnLimit::refuse}};
  Sandbox sandbox = create(spec);
  const auto endless = sandbox.run("counter", "print");
  ASSERT_EQ(testing::not_kind(endless, OutcomeKind::out_of_fuel), "");
  EXPECT_EQ(endless->cause, "fuel_max");
  EXPECT_EQ(endless->fuel_used, 100'000U);
  EXPECT_GT(endless->output_bytes_cut, 1'000U);
  const auto thrice = sandbox.run("counter", "print_thrice");
  ASSERT_EQ(testing::not_kind(thrice, OutcomeKind::output_limit), "");
  EXPECT_TRUE(thrice->returned);
  EXPECT_THAT(thrice->values, ElementsAre(Value(2)));
}

TEST_P(RunsTest, SayWhetherTheyCanBeRepeated) {
  Sandbox sandbox = create(of(kSleepingRun));
  const auto repeatable = [&](std::string_view function, std::vector<Value> arguments = {}) {
    const auto outcome = sandbox.run("counter", function, std::move(arguments));
    return outcome && outcome->repeatable;
  };
  EXPECT_TRUE(repeatable("draw"));  // from its seed
  EXPECT_FALSE(repeatable("time"));
  EXPECT_FALSE(repeatable("sleep", {Value(std::int64_t{1})}));
  SandboxSpec spec = of(kSleepingRun);
  spec.id = "b";
  spec.deterministic = true;
  sandbox = create(spec);
  EXPECT_TRUE(repeatable("time"));
  EXPECT_TRUE(repeatable("sleep", {Value(std::int64_t{1})}));
}

TEST_P(RunsTest, HaveTheArgumentsThatProcessesHave) {
  SandboxSpec spec = of(kArguments);
  spec.arguments = {"one", "two"};
  Sandbox sandbox = create(spec);
  for (const auto& outcome : {sandbox.call("show"), sandbox.run("counter", "show")}) {
    EXPECT_EQ(testing::not_value(outcome, 3), "");
    EXPECT_EQ(outcome->output, std::string_view("guest\0one\0two\0", 14));
  }
}

TEST_P(RunsTest, TellTheVersionOfTheirCode) {  // R14
  SandboxSpec spec = of(kCounter);
  spec.seed = 7;
  Sandbox sandbox = create(spec);
  EXPECT_EQ(sandbox.call("next")->version, 1U);
  EXPECT_EQ(sandbox.call("next")->seed, std::nullopt);
  std::string other(kCounter);
  other.insert(other.rfind(')'), "(func (export \"more\"))");
  ReloadPolicy policy{.state = StateWay::none};
  policy.trial.calls = 0;  // its crash does not bring the first version back
  ASSERT_TRUE(sandbox.reload("counter", Source::wat(other), {.policy = policy}));
  EXPECT_EQ(sandbox.call("next")->version, 2U);
  EXPECT_EQ(sandbox.run("counter", "next")->version, 2U);
  EXPECT_EQ(sandbox.call("crash")->version, 2U);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.call("next")->version, 2U);

  spec.id = "b";
  spec.deterministic = true;
  sandbox = create(spec);
  EXPECT_EQ(sandbox.call("next")->seed, 7U);
  EXPECT_EQ(sandbox.call("crash")->seed, 7U);
}

INSTANTIATE_TEST_SUITE_P(BothTiers, RunsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
