#include "report/charts/outcome_counts.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(OutcomeCounts, PutsOkFirstAndThenTheMostFrequent) {
  OutcomeCounts counts;
  counts.add({.outcome = OutcomeKind::out_of_fuel});
  for (int i = 0; i < 3; ++i) counts.add({.error = ErrorCode::rejected, .message = "bad " + std::to_string(i)});
  counts.add({.outcome = OutcomeKind::ok});
  counts.add({.outcome = OutcomeKind::trapped, .trap = TrapCode::unreachable});
  counts.add({.outcome = OutcomeKind::trapped, .trap = TrapCode::unreachable});

  const auto ends = counts.ends();
  ASSERT_EQ(ends.size(), 4U);
  EXPECT_EQ(ends[0].name, "ok");
  EXPECT_EQ(ends[1].name, "rejected");
  EXPECT_EQ(ends[1].message, "bad 0");
  EXPECT_EQ(ends[2].parts.at("unreachable"), 2U);
  EXPECT_EQ(ends[3].group, EndGroup::limit);
  EXPECT_EQ(counts.total(), 7U);
  EXPECT_EQ(counts.ok(), 1U);
}

}  // namespace
}  // namespace petri
