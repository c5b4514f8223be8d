// Every limit in every place and both tiers: what ends, what is refused, who is told. Q05 to Q19, Q23, R06, R22.
#include <gtest/gtest.h>

#include <ostream>

#include "kill_matrix.h"

namespace petri {

std::ostream& operator<<(std::ostream& out, const KillVerdict& verdict) {
  return out << "\"" << verdict.verdict << "\", told \"" << verdict.told << "\", then \"" << verdict.after << "\"";
}

namespace {

class KillMatrixTest : public ::testing::TestWithParam<Tier> {};

TEST_P(KillMatrixTest, EndsOrRefusesAsTheTableSays) {
  const auto runtime = *Runtime::create({.workers = 2});
  for (const KillRow& row : kill_rows()) {
    for (const KillPlace place : row.places) {
      EXPECT_EQ(observe_kill(*runtime, row, place, GetParam()).verdict, row.expected(place))
          << row.limit << " in " << name_of(place) << ": " << row.what;
    }
  }
  EXPECT_EQ(runtime->list().total, 0U);
  EXPECT_EQ(runtime->info().memory_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(BothTiers, KillMatrixTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
