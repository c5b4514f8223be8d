#include "bench/search/load_cost.h"

#include <gtest/gtest.h>

namespace petri::bench {
namespace {

// The process that measures has a limit on its processor time, which makes one of its clocks a coarse one.
TEST(LoadCost, OfTheSmallestModuleIsMoreThanNothing) {
  const auto cost = load_cost(ModuleWriter().finish(), Stage::interpreted, 3, 5);
  ASSERT_TRUE(cost) << cost.error().message;
  EXPECT_EQ(cost->end, LoadCost::End::accepted);
  EXPECT_GT(cost->seconds, 0);
}

}  // namespace
}  // namespace petri::bench
