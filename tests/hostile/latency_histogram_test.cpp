#include "latency_histogram.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

TEST(LatencyHistogram, GivesPercentilesWithinAnEighth) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 1'000; ++i) histogram.add(std::chrono::microseconds(i));
  EXPECT_EQ(histogram.count(), 1'000U);
  EXPECT_EQ(histogram.max(), 1ms);
  EXPECT_GE(histogram.percentile(0.5), 500us);
  EXPECT_LE(histogram.percentile(0.5), 563us);
  EXPECT_GE(histogram.percentile(0.99), 990us);
  EXPECT_EQ(histogram.percentile(1), 1ms);
  EXPECT_EQ(LatencyHistogram().percentile(0.5), 0ns);
}

TEST(LatencyHistogram, CountsWhatLiesAboveABound) {
  LatencyHistogram histogram;
  for (const auto latency : {1us, 4'000us, 6'000us, 7'000us}) histogram.add(latency);
  EXPECT_EQ(histogram.count_above(5ms), 2U);
  EXPECT_EQ(histogram.count_above(1s), 0U);
}

TEST(LatencyHistogram, IsTheSameAfterItWasWrittenAndPutTogether) {
  LatencyHistogram one, two;
  for (const auto latency : {0ns, 7ns, 8ns, 1'000ns}) one.add(latency);
  two.add(1h);
  two.merge(LatencyHistogram::from_json(one.to_json()));
  EXPECT_EQ(two.count(), 5U);
  EXPECT_EQ(two.max(), 1h);
  EXPECT_EQ(two.percentile(0), 0ns);
  EXPECT_EQ(two.percentile(0.5), 8ns);
}

}  // namespace
}  // namespace petri
