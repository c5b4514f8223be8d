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
