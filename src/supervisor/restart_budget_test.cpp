#include "supervisor/restart_budget.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

Clock::TimePoint at(std::chrono::nanoseconds time) { return Clock::TimePoint(time); }

// S09
TEST(RestartBudget, AllowsAsManyRestartsAsItsIntensity) {
  RestartBudget budget(2, 5s);
  EXPECT_TRUE(budget.spend(at(0s)));
  EXPECT_TRUE(budget.spend(at(1s)));
  EXPECT_FALSE(budget.spend(at(2s)));
}

// S10
TEST(RestartBudget, StillCountsARestartThatIsExactlyOnePeriodOld) {
  RestartBudget budget(1, 5s);
  EXPECT_TRUE(budget.spend(at(0s)));
  EXPECT_FALSE(budget.spend(at(5s)));
}

// S10
TEST(RestartBudget, IsRefilledAsTheWindowMovesOn) {
  RestartBudget budget(1, 5s);
  EXPECT_TRUE(budget.spend(at(0s)));
  EXPECT_TRUE(budget.spend(at(6s)));
  EXPECT_TRUE(budget.spend(at(12s)));
}

// S10
TEST(RestartBudget, CountsWholeSeconds) {
  RestartBudget budget(1, 5s);
  EXPECT_TRUE(budget.spend(at(999ms)));  // second 0
  EXPECT_TRUE(budget.spend(at(6s)));     // 5.001 s later, yet six seconds on
  EXPECT_FALSE(budget.spend(at(11999ms)));
}

TEST(RestartBudget, RoundsTimesBeforeZeroDown) {
  RestartBudget budget(1, 1s);
  EXPECT_TRUE(budget.spend(at(-500ms)));  // second -1
  EXPECT_FALSE(budget.spend(at(500ms)));  // second 0
}

// S14
TEST(RestartBudget, DoesNotFollowTheWallClock) {
  ManualClock clock;
  RestartBudget budget(1, 5s);
  EXPECT_TRUE(budget.spend(clock.now()));
  clock.advance(3s);
  clock.set_wall(clock.wall_now() + 1h);
  EXPECT_FALSE(budget.spend(clock.now()));
}

// S11
TEST(RestartBudget, OfNothingAllowsNothing) {
  RestartBudget budget(0, 5s);
  EXPECT_FALSE(budget.spend(at(0s)));
}

// A child that a guest makes crash at once is started anew thousands of times a second.
TEST(RestartBudget, KeepsNoMoreForManyRestartsOfASecondThanForOne) {
  RestartBudget budget(100'000, 1h);
  for (int restart = 0; restart < 99'999; ++restart) ASSERT_TRUE(budget.spend(at(0s)));
  EXPECT_EQ(budget.seconds_kept(), 1U);
  EXPECT_TRUE(budget.spend(at(1h)));
  EXPECT_FALSE(budget.spend(at(1h)));
  EXPECT_EQ(budget.seconds_kept(), 2U);
  EXPECT_TRUE(budget.spend(at(1h + 1s)));
  EXPECT_EQ(budget.seconds_kept(), 2U);
}

TEST(RestartBudget, RemembersWhenItChanges) {
  RestartBudget budget(3, 5s);
  EXPECT_TRUE(budget.spend(at(0s)));
  budget.change(1, 5s);
  EXPECT_FALSE(budget.spend(at(1s)));
}

TEST(RestartBudget, ForgetsSoonerWhenItsPeriodBecomesShorter) {
  RestartBudget budget(1, 5s);
  EXPECT_TRUE(budget.spend(at(0s)));
  budget.change(1, 1s);
  EXPECT_TRUE(budget.spend(at(2s)));
}

}  // namespace
}  // namespace petri
