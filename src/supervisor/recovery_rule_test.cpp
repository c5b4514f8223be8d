#include "supervisor/recovery_rule.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using namespace std::chrono_literals;
using enum ErrorCategory;
using testing::HasSubstr;

constexpr Clock::TimePoint kStart{};

RecoveryAction first_action(const Recovery& recovery, ErrorCategory failure) {
  RecoveryPast past;
  return next_step(recovery, failure, kStart, past).action;
}

TEST(RecoveryRule, HasADefaultForEachClass) {  // S21
  EXPECT_EQ(first_action({}, compilation), RecoveryAction::keep);
  EXPECT_EQ(first_action({}, runtime), RecoveryAction::terminate);
  EXPECT_EQ(first_action({}, resource), RecoveryAction::restart);
  EXPECT_EQ(first_action({}, security), RecoveryAction::isolate);
  EXPECT_EQ(first_action({}, system), RecoveryAction::retry);
}

TEST(RecoveryRule, DoesWhatTheTableSays) {
  const Recovery recovery{.actions = {{runtime, RecoveryAction::isolate}}};
  EXPECT_EQ(first_action(recovery, runtime), RecoveryAction::isolate);
  EXPECT_EQ(first_action(recovery, system), RecoveryAction::retry);
}

TEST(RecoveryRule, RestartsOnceThenTerminates) {  // S21
  RecoveryPast past;
  EXPECT_EQ(next_step({}, resource, kStart, past).attempt, 1U);
  EXPECT_EQ(next_step({}, resource, kStart + 59s, past).action, RecoveryAction::terminate);
}

TEST(RecoveryRule, RollsBackCodeThatWasNew) {  // S21
  RecoveryPast past;
  EXPECT_EQ(next_step({}, runtime, kStart, past, 59s).action, RecoveryAction::rollback);
  EXPECT_EQ(next_step({}, runtime, kStart, past, 60s).action, RecoveryAction::terminate);
  EXPECT_EQ(next_step({.rollback_within = 1h}, runtime, kStart, past, 60s).action, RecoveryAction::rollback);
  EXPECT_EQ(next_step({}, resource, kStart, past, 1s).action, RecoveryAction::restart);
}

TEST(RecoveryRule, CountsFromZeroAfterItWasStable) {
  RecoveryPast past;
  EXPECT_EQ(next_step({}, resource, kStart, past).action, RecoveryAction::restart);
  EXPECT_EQ(next_step({}, resource, kStart + 60s, past).action, RecoveryAction::restart);
}

TEST(RecoveryRule, WaitsTwiceAsLongBeforeEachRetry) {  // S21
  RecoveryPast past;
  Clock::TimePoint now = kStart;
  for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1'600ms}) {
    const RecoveryStep step = next_step({}, system, now, past);
    EXPECT_EQ(step.action, RecoveryAction::retry);
    EXPECT_EQ(step.pause, pause);
    now += pause;
  }
  EXPECT_EQ(next_step({}, system, now, past).action, RecoveryAction::terminate);
}

TEST(RecoveryRule, WaitsNoLongerThanItMay) {
  RecoveryPast past;
  const Recovery recovery{.retries_max = 1'000, .retry_pause = 1s, .retry_pause_max = 3s};
  Clock::Duration last{};
  for (int i = 0; i < 1'000; ++i) last = next_step(recovery, system, kStart, past).pause;
  EXPECT_EQ(last, 3s);
}

TEST(Recovery, IsCheckedAsAWhole) {
  EXPECT_TRUE(check_recovery({}));
  const auto wrong =
      check_recovery({.actions = {{usage, RecoveryAction::keep}}, .retry_pause = 0ns, .stable_after = -1ns});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().details.size(), 3U);
  EXPECT_THAT(wrong.error().message, HasSubstr("retry_pause is 0 ns"));
}

TEST(FailureClass, OfAGuestIsResourceWhenALimitEndedIt) {  // S20
  EXPECT_EQ(category_of(Outcome{.kind = OutcomeKind::trapped}), runtime);
  EXPECT_EQ(category_of(Outcome{.kind = OutcomeKind::exited}), runtime);
  Outcome ended{.kind = OutcomeKind::deadline};
  ended.cause = "execution_time_max";
  EXPECT_EQ(category_of(ended), resource);
}

TEST(RecoveryAction, IsFoundByItsName) {
  EXPECT_EQ(recovery_action_named("isolate"), RecoveryAction::isolate);
  EXPECT_EQ(name_of(RecoveryAction::terminate), "terminate");
  EXPECT_EQ(recovery_action_named("rollback"), RecoveryAction::rollback);
  EXPECT_EQ(recovery_action_named("rollup"), std::nullopt);
}

}  // namespace
}  // namespace petri
