#include "base/clock.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, StandsStillUntilItIsAdvanced) {
  ManualClock clock;
  const Clock::TimePoint start = clock.now();
  EXPECT_EQ(clock.now(), start);

  clock.advance(5s);
  EXPECT_EQ(clock.now(), start + 5s);
  EXPECT_EQ(clock.wall_now().time_since_epoch(), 5s);
}

TEST(ManualClock, KeepsItsMonotonicTimeWhenTheWallIsSet) {
  ManualClock clock;
  clock.advance(1s);
  clock.set_wall(WallTime(100s));
  EXPECT_EQ(clock.now().time_since_epoch(), 1s);
  EXPECT_EQ(clock.wall_now().time_since_epoch(), 100s);

  clock.advance(1s);
  EXPECT_EQ(clock.wall_now().time_since_epoch(), 101s);
}

TEST(SystemClock, NeverRunsBackwards) {
  const SystemClock clock;
  const Clock::TimePoint first = clock.now();
  EXPECT_LE(first, clock.now());
  EXPECT_GT(clock.wall_now().time_since_epoch(), 24h);
}

}  // namespace
}  // namespace petri
