#include "sandbox/recovery/recovery_actions.h"

#include <gmock/gmock.h>

#include "sandbox/timers/timers_fixture.h"
#include "sandbox/trees/trees_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

class RecoveryActionsTest : public TreesFixture {
 protected:
  void SetUp() override {
    add_module(kCounter);
    ASSERT_TRUE(start());
  }
  // Its only process crashes, and supervision gives up.
  void fail_as(RecoveryAction action) {
    rule_.actions[ErrorCategory::runtime] = action;
    crash("counter");
    give_up();
  }
};

TEST_F(RecoveryActionsTest, FailsWithTheLastEndWhereTheRuleTerminates) {
  fail_as(RecoveryAction::terminate);
  EXPECT_EQ(status(), SandboxStatus::failed);
  EXPECT_EQ(standing_.facts().cause, "the supervisor gave up restarting; the last that ended was counter (trapped)");
  EXPECT_EQ(standing_.facts().failure, ErrorCategory::runtime);
  EXPECT_EQ(processes_.size(), 0U);
}

TEST_F(RecoveryActionsTest, StartsEverythingAgainWhereTheRuleRestarts) {
  const auto before = trees_.tree();
  fail_as(RecoveryAction::restart);
  EXPECT_EQ(status(), SandboxStatus::running);
  EXPECT_NE(trees_.tree(), before);
  EXPECT_FALSE(standing_.is_recovering());
}

TEST_F(RecoveryActionsTest, FreezesWhatLivesWhereTheRuleIsolates) {
  fail_as(RecoveryAction::isolate);
  EXPECT_EQ(status(), SandboxStatus::isolated);
  const ProcessPtr process = processes_.find("counter");
  ASSERT_NE(process, nullptr);
  EXPECT_TRUE(process->alive());
  EXPECT_EQ(process->entrance().try_take(), Entrance::Taken::down) << "no message is taken";
  EXPECT_EQ(process->entrance().try_take(Entrance::Frozen::take), Entrance::Taken::taken);
  process->entrance().put_back();
}

TEST_F(RecoveryActionsTest, TriesAgainAfterAPause) {
  rule_.retry_pause = 10s;
  fail_as(RecoveryAction::retry);
  EXPECT_EQ(status(), SandboxStatus::starting);
  EXPECT_EQ(processes_.size(), 0U);
  EXPECT_TRUE(recovery_.forget_retry());
  EXPECT_FALSE(recovery_.forget_retry());
  advance_timers(clock_, *timers_, 20s);
  EXPECT_EQ(status(), SandboxStatus::starting) << "somebody has ended it meanwhile";
}

TEST_F(RecoveryActionsTest, FailsWhereTheCodeCannotGoBack) {
  rolls_back_ = fail(ErrorCode::version_not_found, "there is no version to go back to");
  rule_.actions[ErrorCategory::runtime] = RecoveryAction::rollback;
  crash("counter");
  give_up();
  EXPECT_EQ(status(), SandboxStatus::failed);
}

TEST_F(RecoveryActionsTest, DoesNothingForATreeThatIsNoLongerThere) {
  const auto before = trees_.tree();
  activity_.stop(control_.take());
  ASSERT_TRUE(start());
  crash("counter");
  recovery_.tree_gave_up(before);
  decisions_.wait(owner_.workers(), std::chrono::steady_clock::now() + 20s);
  EXPECT_EQ(status(), SandboxStatus::running);
}

TEST_F(RecoveryActionsTest, DoesNothingWhereTheSandboxIsBeingStopped) {
  standing_.advance(LifecycleEvent::end);
  fail_as(RecoveryAction::restart);
  EXPECT_EQ(status(), SandboxStatus::stopping);
}

}  // namespace
}  // namespace petri
