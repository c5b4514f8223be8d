#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace petri::bench {
namespace {

TEST(Median, IsTheMiddleWhateverTheOrder) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 4}), 4);
}

TEST(Median, OfAnEvenNumberLiesBetweenTheTwoInTheMiddle) { EXPECT_EQ(median({8, 1, 2, 4}), 3); }

TEST(Median, IsNotMovedByOneThatIsFarOut) { EXPECT_EQ(median({1, 2, 3, 4, 1'000'000}), 3); }

TEST(MiddleOf, SaysHowFarTheSamplesLieApart) {
  const Sampled calm = middle_of({100, 100, 101, 99, 100});
  EXPECT_EQ(calm.value, 100);
  EXPECT_EQ(calm.spread, 0);
  const Sampled wild = middle_of({50, 80, 100, 120, 300});
  EXPECT_EQ(wild.value, 100);
  EXPECT_EQ(wild.spread, 0.2);
  EXPECT_EQ(middle_of({0, 0, 0}).spread, std::nullopt);
}

TEST(MiddleOf, KeepsItsSpreadWhenItIsComputedWith) {
  const Sampled one(100, 0.1);
  EXPECT_EQ((one * 2).value, 200);
  EXPECT_EQ((one / 4.0).spread, 0.1);
  EXPECT_EQ((one / Sampled(50, 0.25)).value, 2);
  EXPECT_EQ((one / Sampled(50, 0.25)).spread, 0.35);
  EXPECT_EQ((one / Sampled(50)).spread, 0.1);
  EXPECT_EQ((Sampled(1) / Sampled(2)).spread, std::nullopt);
  EXPECT_EQ(larger(one, Sampled(200, 0.3)).spread, 0.3);
}

TEST(Percentile, IsASampleThatSoManyDoNotExceed) {
  std::vector<double> samples;
  for (int i = 200; i >= 1; --i) samples.push_back(i);
  EXPECT_EQ(percentile(samples, 0.99), 198);
  EXPECT_EQ(percentile(samples, 0.5), 100);
}

TEST(Percentile, ReachesFromTheLeastToTheMost) {
  EXPECT_EQ(percentile({3, 1, 2}, 0), 1);
  EXPECT_EQ(percentile({3, 1, 2}, 1), 3);
  EXPECT_EQ(percentile({7}, 0.99), 7);
}

TEST(GeometricMean, TreatsTwiceAndHalfAlike) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 0.5}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean({1, 10, 100}), 10);
}

}  // namespace
}  // namespace petri::bench
