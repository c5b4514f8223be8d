#include "telemetry/pace.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr Clock::TimePoint kStart{1h};

TEST(Pace, AllowsASecondsWorthAtOnce) {
  Pace pace(1'000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pace.take(100, kStart), kStart);
  EXPECT_EQ(pace.take(100, kStart), kStart + 100ms);
  EXPECT_EQ(pace.take(500, kStart + 100ms), kStart + 600ms);
}

TEST(Pace, IsKeptOverALongerTime) {
  Pace pace(1'000);
  Clock::TimePoint now = kStart;
  for (int i = 0; i < 1'000; ++i) now = pace.take(100, now);
  EXPECT_EQ(now, kStart + 99s);
}

TEST(Pace, DoesNotSaveUpWhatWasNotUsed) {
  Pace pace(1'000);
  EXPECT_EQ(pace.take(1, kStart), kStart);
  EXPECT_EQ(pace.take(1'000, kStart + 1h), kStart + 1h);
  EXPECT_EQ(pace.take(1'000, kStart + 1h), kStart + 1h + 1s);
}

}  // namespace
}  // namespace petri
