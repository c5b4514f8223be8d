#include "telemetry/metrics/threshold.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace petri {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

TEST(IsNearLimit, StartsAtFourFifths) {
  struct Row {
    std::uint64_t limit, first_near;
  };
  for (const Row row : {Row{100, 80}, Row{10, 8}, Row{7, 6}, Row{5, 4}, Row{3, 3}, Row{1, 1}, Row{65'536, 52'429}}) {
    EXPECT_TRUE(is_near_limit(row.first_near, row.limit)) << row.limit;
    EXPECT_FALSE(is_near_limit(row.first_near - 1, row.limit)) << row.limit;
  }
  EXPECT_TRUE(is_near_limit(kMax64, kMax64));
  EXPECT_TRUE(is_near_limit(kMax64, 1)) << "a limit may have been lowered below what is used";
  EXPECT_FALSE(is_near_limit(kMax64 / 2, kMax64));
  EXPECT_FALSE(is_near_limit(0, 0));
}

// Q24
TEST(WarningLatch, WarnsOnceAndAgainOnlyAfterUseHasBeenBelow) {
  struct Row {
    std::uint64_t used;
    bool warns;
  };
  WarningLatch latch;
  for (const Row row : {Row{0, false},
                        {79, false},
                        {80, true},
                        {81, false},
                        {100, false},
                        {80, false},
                        {79, false},
                        {50, false},
                        {99, true},
                        {100, false},
                        {0, false},
                        {80, true}}) {
    EXPECT_EQ(latch.should_warn(row.used, 100), row.warns) << row.used;
  }
}

TEST(WarningLatch, GoesByTheLimitOfTheMoment) {
  WarningLatch latch;
  EXPECT_FALSE(latch.should_warn(50, 100));
  EXPECT_TRUE(latch.should_warn(50, 60));
  EXPECT_FALSE(latch.should_warn(50, 100));
  EXPECT_TRUE(latch.should_warn(50, 60));
}

TEST(WarningLatch, WarnsOnceHoweverManyThreadsSeeIt) {
  WarningLatch latch;
  std::atomic<int> warnings{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (std::uint64_t used = 80; used <= 1'000; ++used) warnings += latch.should_warn(used, 100) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace petri
