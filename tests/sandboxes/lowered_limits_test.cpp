// Lowering a limit of a live sandbox below what it has.
#include <functional>
#include <future>
#include <memory>

#include "petri/host_functions.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kPageBytes = 65'536;

// Waits for an answer that does not come: its partner spins. Logs, and sets timers.
constexpr std::string_view kWaiter = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (memory 1) (data (i32.const 0) "spinner")
  (func (export "ask") (result i32)
    (call $call (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 0)))
  (func (export "spin") (loop $again (br $again)))
  (func (export "log") (result i32) (call $log (i32.const 2) (i32.const 0) (i32.const 7)))
  (func (export "timer") (result i32) (call $timer (i32.const 3600000) (i64.const 1)))
  (func (export "petri_handle") (result i32) (loop $again (br $again)) (i32.const 0))))";

class LoweredLimitsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  Sandbox make(LimitChanges limits = {}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"x", "y"}, 100);
    spec.tier = GetParam();
    spec.limits = std::move(limits);
    return create(spec);
  }
  Sandbox make_waiters() {
    SandboxSpec spec = tree(Strategy::one_for_one, {"asker", "spinner"}, 100);
    spec.modules[0].source = Source::wat(std::string(kWaiter));
    spec.tier = GetParam();
    return create(spec);
  }
  static std::string refusal(Sandbox& sandbox, const LimitChanges& changes) {
    const SandboxLimits before = sandbox.info().limits;
    const auto updated = sandbox.update_limits(changes);
    if (updated) return "accepted";
    EXPECT_EQ(updated.error().code, ErrorCode::validation_failed);
    EXPECT_EQ(sandbox.info().limits, before);
    return updated.error().message;
  }
  // Starts the call, lets it run for a while, lowers the limits, and waits for its end.
  Outcome ended_by_less(Sandbox& sandbox, const LimitChanges& less, OutcomeKind kind,
                        const std::function<Result<std::uint64_t>(Completion)>& begin,
                        std::chrono::milliseconds while_it_runs = 3ms) {
    auto ended = std::make_shared<std::promise<Result<Outcome>>>();
    EXPECT_TRUE(begin([ended](Result<Outcome> how) { ended->set_value(std::move(how)); }));
    expect_soon([&] { return sandbox.usage().cpu_time > while_it_runs ? "" : "not running yet"; });
    EXPECT_TRUE(sandbox.update_limits(less));
    const auto outcome = ended->get_future().get();
    EXPECT_EQ(testing::not_kind(outcome, kind), "");
    return outcome.value_or(Outcome{});
  }
};

TEST_P(LoweredLimitsTest, AreAllDescribed) {
  for (const LimitRule& rule : sandbox_limit_rules()) EXPECT_NE(rule.when_lowered, "") << rule.name;
}

TEST_P(LoweredLimitsTest, MemoryIsRefusedBelowWhatIsInUse) {
  Sandbox sandbox = make();
  ASSERT_EQ(testing::not_value(sandbox.call("grow", {9}, {.process = "x"}), 1), "");
  EXPECT_EQ(refusal(sandbox, {.memory_bytes_max = 2 * kPageBytes}),
            "memory_bytes_max is 131072 but 720896 bytes are in use; stop processes or restart the sandbox first");
  EXPECT_EQ(refusal(sandbox, {.process_memory_bytes_max = 2 * kPageBytes}),
            "process_memory_bytes_max is 131072 but the process x uses 655360 bytes; stop it first");
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 11 * kPageBytes}));
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}, {.process = "y"}), -1), "");
}

// Nobody named it; and what is smaller than both holds.
TEST_P(LoweredLimitsTest, MemoryLeavesThatOfOneProcessAsItWasSet) {
  Sandbox sandbox = make({.memory_bytes_max = 20 * kPageBytes, .process_memory_bytes_max = 4 * kPageBytes});
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 40 * kPageBytes}));
  EXPECT_EQ(sandbox.info().limits.process_memory_bytes_max, 4 * kPageBytes);
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {4}, {.process = "x"}), -1), "");
  ASSERT_TRUE(sandbox.update_limits({.memory_bytes_max = 3 * kPageBytes}));
  EXPECT_EQ(sandbox.info().limits.process_memory_bytes_max, 4 * kPageBytes);
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}, {.process = "x"}), 1), "");
  EXPECT_EQ(testing::not_value(sandbox.call("grow", {1}, {.process = "x"}), -1), "");
}

TEST_P(LoweredLimitsTest, ProcessesAreRefusedBelowThoseThatLive) {
  Sandbox sandbox = make();
  EXPECT_EQ(refusal(sandbox, {.processes_max = 1}), "processes_max is 1 but 2 processes live; stop some of them first");
  ASSERT_TRUE(sandbox.update_limits({.processes_max = 2}));
  EXPECT_EQ(sandbox.start_child(ChildSpec{.id = "z", .module = "counter"}).has_value(), false);
}

TEST_P(LoweredLimitsTest, TimeEndsAHandlerThatRuns) {
  Sandbox sandbox = make();
  Subscription killed = *runtime_->subscribe({.sandbox = "a", .kinds = {EventKind::killed_timeout}});
  const Outcome outcome =
      ended_by_less(sandbox, {.execution_time_max = std::chrono::milliseconds(1)}, OutcomeKind::deadline,
                    [&](Completion done) { return sandbox.call_async("spin", {}, {.process = "x"}, std::move(done)); });
  EXPECT_EQ(outcome.cause, "execution_time_max");
  EXPECT_FALSE(outcome.repeatable);
  expect_soon([&] { return killed.next() != nullptr ? "" : "not told yet"; });
  EXPECT_EQ(next(sandbox, "y"), 1);
}

TEST_P(LoweredLimitsTest, TimeEndsAHandlerThatWaits) {
  Sandbox sandbox = make_waiters();
  const Outcome outcome = ended_by_less(
      sandbox, {.execution_time_max = std::chrono::milliseconds(1)}, OutcomeKind::deadline,
      [&](Completion done) { return sandbox.call_async("ask", {}, {.process = "asker"}, std::move(done)); });
  EXPECT_EQ(outcome.cause, "execution_time_max");
}

TEST_P(LoweredLimitsTest, TimeEndsARunThatRuns) {
  Sandbox sandbox = make();
  const Outcome outcome = ended_by_less(
      sandbox, {.execution_time_max = std::chrono::milliseconds(1)}, OutcomeKind::deadline, [&](Completion done) {
        return sandbox.run_async("counter", "spin", {}, {.fuel_max = std::uint64_t{1} << 60}, std::move(done));
      });
  EXPECT_EQ(outcome.cause, "execution_time_max");
  EXPECT_FALSE(outcome.repeatable);
}

TEST_P(LoweredLimitsTest, GraceEndsAHandlerThatIsHeldAlready) {
  Sandbox sandbox = make({.cpu_percent_max = 20});
  ended_by_less(
      sandbox, {.cpu_grace = std::chrono::milliseconds(1)}, OutcomeKind::cpu_limit,
      [&](Completion done) { return sandbox.call_async("spin", {}, {.process = "x"}, std::move(done)); }, 12ms);
}

TEST_P(LoweredLimitsTest, OthersHoldFromTheNextActOn) {
  Sandbox sandbox = make_waiters();
  const auto ask = [&](std::string_view function) { return sandbox.call(function, {}, {.process = "asker"}); };
  EXPECT_EQ(testing::not_value(ask("log"), 7), "");
  EXPECT_EQ(testing::not_value(ask("timer"), 0), "");
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 100'000, .log_bytes_per_second_max = 1, .timers_max = 1}));
  EXPECT_EQ(testing::not_value(ask("log"), static_cast<std::int32_t>(GuestError::limit_exceeded)), "");
  EXPECT_EQ(testing::not_value(ask("timer"), static_cast<std::int32_t>(GuestError::limit_exceeded)), "");
  EXPECT_EQ(testing::not_kind(ask("spin"), OutcomeKind::out_of_fuel), "");
}

INSTANTIATE_TEST_SUITE_P(BothTiers, LoweredLimitsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
