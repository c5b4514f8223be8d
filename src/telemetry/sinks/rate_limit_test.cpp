#include "telemetry/sinks/rate_limit.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr Clock::TimePoint kStart{1h};

TEST(RateLimit, AllowsASecondsWorthAtOnce) {
  RateLimit limit(1'000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.take(100, kStart), kStart);
  EXPECT_EQ(limit.take(100, kStart), kStart + 100ms);
  EXPECT_EQ(limit.take(500, kStart + 100ms), kStart + 600ms);
}

TEST(RateLimit, IsKeptOverALongerTime) {
  RateLimit limit(1'000);
  Clock::TimePoint now = kStart;
  for (int i = 0; i < 1'000; ++i) now = limit.take(100, now);
  EXPECT_EQ(now, kStart + 99s);
}

TEST(RateLimit, DoesNotSaveUpWhatWasNotUsed) {
  RateLimit limit(1'000);
  EXPECT_EQ(limit.take(1, kStart), kStart);
  EXPECT_EQ(limit.take(1'000, kStart + 1h), kStart + 1h);
  EXPECT_EQ(limit.take(1'000, kStart + 1h), kStart + 1h + 1s);
}

}  // namespace
}  // namespace petri
