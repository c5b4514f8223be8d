#include "report/charts/pareto_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> rows_of(const std::vector<ScoreAndFuel>& points) {
  std::vector<std::size_t> rows;
  for (const ScoreAndFuel& point : points) rows.push_back(point.row);
  return rows;
}

TEST(ParetoFront, HasWhatNoOtherBeatsInScoreAndFuel) {
  ParetoFront front(BestScore::smallest);
  front.add({.row = 0, .score = 10, .fuel = 100});
  front.add({.row = 1, .score = 5, .fuel = 200});
  front.add({.row = 2, .score = 5, .fuel = 300});   // no better, and more fuel
  front.add({.row = 3, .score = 12, .fuel = 50});   // worse, and cheaper
  front.add({.row = 4, .score = 10, .fuel = 100});  // the same as the first
  EXPECT_THAT(rows_of(front.front()), ElementsAre(3, 0, 1));
  front.add({.row = 5, .score = 5, .fuel = 100});  // beats two
  EXPECT_THAT(rows_of(front.front()), ElementsAre(3, 5));
  front.add({.row = 6, .score = 1, .fuel = 10});  // beats all
  EXPECT_THAT(rows_of(front.front()), ElementsAre(6));
}

TEST(ParetoFront, KnowsThatLargeScoresMayBeTheGoodOnes) {
  ParetoFront front(BestScore::largest);
  front.add({.row = 0, .score = 1, .fuel = 10});
  front.add({.row = 1, .score = 2, .fuel = 20});
  front.add({.row = 2, .score = 1.5, .fuel = 30});
  EXPECT_THAT(rows_of(front.front()), ElementsAre(0, 1));
}

TEST(ParetoFront, LeavesOutScoresThatAreNotFinite) {
  ParetoFront front(BestScore::smallest);
  front.add({.row = 0, .score = -INFINITY, .fuel = 1});
  front.add({.row = 1, .score = std::nan(""), .fuel = 1});
  EXPECT_TRUE(front.front().empty());
  EXPECT_TRUE(front.sample().empty());
}

TEST(ParetoFront, AndItsSampleAreBounded) {
  ParetoFront front(BestScore::smallest);
  for (std::size_t row = 0; row < 10'000; ++row)
    front.add({.row = row, .score = -static_cast<double>(row), .fuel = row});
  EXPECT_LE(front.front().size(), ParetoFront::kFrontMax);
  EXPECT_LE(front.sample().size(), ParetoFront::kSampleMax);
  EXPECT_EQ(front.front().front().row, 0U);
  EXPECT_EQ(front.front().back().row, 9'999U);
}

}  // namespace
}  // namespace petri
