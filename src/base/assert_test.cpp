#include "base/assert.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(AssertDeathTest, SaysWhichInvariantBrokeAndWhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int count = 2;
  EXPECT_DEATH(PETRI_ASSERT(count == 3), "a bug in petri: count == 3 does not hold .*assert_test.cpp:");
}

TEST(AssertDeathTest, EndsTheProcessWhereControlCannotCome) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(PETRI_UNREACHABLE(), "never reached");
}

TEST(Assert, LetsATrueConditionPassAndEvaluatesItOnce) {
  int evaluations = 0;
  PETRI_ASSERT(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace petri
