#include "host/functions/log_rate.h"

#include <gtest/gtest.h>

#include <limits>

namespace petri {
namespace {

// Q18
TEST(LogRate, AllowsASecondsWorthAndRefillsAsTimePasses) {
  LogRate rate(1'000);
  EXPECT_TRUE(rate.try_spend(1'000, 0));
  EXPECT_FALSE(rate.try_spend(1, 0));
  EXPECT_FALSE(rate.try_spend(2, 1));
  EXPECT_TRUE(rate.try_spend(1, 1));
  EXPECT_TRUE(rate.try_spend(1'000, 1'001));
  EXPECT_FALSE(rate.try_spend(1, 1'001));
}

TEST(LogRate, NeverHoldsMoreThanASecondsWorth) {
  LogRate rate(10);
  EXPECT_TRUE(rate.try_spend(10, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(rate.try_spend(1, std::numeric_limits<std::uint64_t>::max()));
}

TEST(LogRate, RefillsSmallRatesExactly) {
  LogRate rate(1);
  EXPECT_TRUE(rate.try_spend(1, 0));
  for (std::uint64_t now_ms = 1; now_ms < 1'000; ++now_ms) EXPECT_FALSE(rate.try_spend(1, now_ms));
  EXPECT_TRUE(rate.try_spend(1, 1'000));
}

TEST(LogRate, IgnoresTimeThatGoesBack) {
  LogRate rate(10);
  EXPECT_TRUE(rate.try_spend(10, 5'000));
  EXPECT_FALSE(rate.try_spend(1, 4'000));
}

}  // namespace
}  // namespace petri
