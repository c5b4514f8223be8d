#include "report/charts/fuel_histogram.h"

#include <gtest/gtest.h>

#include <limits>

namespace petri {
namespace {

using Bar = FuelHistogram::Bar;

TEST(FuelHistogram, HasABucketForEachSmallNumber) {
  FuelHistogram histogram;
  for (const std::uint64_t fuel : {3, 3, 5}) histogram.add(fuel, true);
  histogram.add(3, false);
  EXPECT_EQ(histogram.bars(10), (std::vector<Bar>{{3, 3, 2, 1}, {4, 4, 0, 0}, {5, 5, 1, 0}}));
}

TEST(FuelHistogram, HasFourBucketsADoublingAfterThat) {
  for (const auto& [fuel, from, to] : {std::tuple(8, 8, 9), std::tuple(9, 8, 9), std::tuple(15, 14, 15),
                                       std::tuple(16, 16, 19), std::tuple(1'023, 896, 1'023)}) {
    FuelHistogram histogram;
    histogram.add(static_cast<std::uint64_t>(fuel), true);
    const Bar expected{static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), 1, 0};
    EXPECT_EQ(histogram.bars(10), std::vector<Bar>{expected}) << fuel;
  }
}

TEST(FuelHistogram, ReachesTheLargestAmountThereIs) {
  FuelHistogram histogram;
  histogram.add(std::numeric_limits<std::uint64_t>::max(), false);
  EXPECT_EQ(histogram.bars(10).back().to, std::numeric_limits<std::uint64_t>::max());
}

TEST(FuelHistogram, LetsNeighboursShareABarSoThatThereAreNotTooMany) {
  FuelHistogram histogram;
  for (std::uint64_t fuel = 1; fuel < 1'000'000; fuel += 7) histogram.add(fuel, fuel % 2 == 0);
  const auto bars = histogram.bars(20);
  EXPECT_LE(bars.size(), 20U);
  std::size_t count = 0;
  for (std::size_t index = 0; index < bars.size(); ++index) {
    count += bars[index].count();
    EXPECT_EQ(bars[index].from, index == 0 ? 1 : bars[index - 1].to + 1);
  }
  EXPECT_EQ(count, 142'857U);
}

TEST(FuelHistogram, SeparatesWhoUsedNone) {
  FuelHistogram histogram;
  histogram.add(0, false);
  EXPECT_TRUE(histogram.bars(10).empty());
  EXPECT_EQ(histogram.without_fuel(), 1U);
}

}  // namespace
}  // namespace petri
