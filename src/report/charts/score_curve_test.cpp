#include "report/charts/score_curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

TEST(EveryNth, KeepsAllWhileThereIsRoom) {
  EveryNth points(4);
  for (std::size_t row = 0; row < 4; ++row) points.add({.row = row});
  EXPECT_EQ(points.n(), 1U);
  EXPECT_EQ(points.points().size(), 4U);
}

TEST(EveryNth, KeepsEvenlySpacedPointsOfALongStream) {
  EveryNth points(100);
  for (std::size_t row = 0; row < 1'000'000; ++row) points.add({.row = row});
  EXPECT_EQ(points.seen(), 1'000'000U);
  ASSERT_LE(points.points().size(), 100U);
  ASSERT_GE(points.points().size(), 50U);
  for (std::size_t index = 0; index < points.points().size(); ++index) {
    EXPECT_EQ(points.points()[index].row, index * points.n());
  }
}

TEST(ScoreCurve, StepsDownWhenSmallestIsBest) {
  ScoreCurve curve(BestScore::smallest);
  const double scores[] = {5, 7, NAN, 3, 3, 4, 1};
  for (std::size_t row = 0; row < std::size(scores); ++row) curve.add(row, scores[row]);
  curve.add(7, std::nullopt);
  EXPECT_EQ(curve.steps(), (std::vector<RowScore>{{0, 5}, {3, 3}, {6, 1}}));
  EXPECT_EQ(curve.improvements(), 3U);
  EXPECT_EQ(curve.sample().seen(), 6U);
}

TEST(ScoreCurve, StepsUpWhenLargestIsBest) {
  ScoreCurve curve(BestScore::largest);
  const double scores[] = {5, 7, -1, 7, 9};
  for (std::size_t row = 0; row < std::size(scores); ++row) curve.add(row, scores[row]);
  EXPECT_EQ(curve.steps(), (std::vector<RowScore>{{0, 5}, {1, 7}, {4, 9}}));
  EXPECT_EQ(curve.best(), (RowScore{4, 9}));
}

TEST(ScoreCurve, EndsAtTheBestHoweverManyStepsThereAre) {
  ScoreCurve curve(BestScore::smallest);
  for (std::size_t row = 0; row < 12'345; ++row) curve.add(row, -static_cast<double>(row));
  EXPECT_LE(curve.steps().size(), ScoreCurve::kStepsMax + 1);
  EXPECT_EQ(curve.steps().back(), (RowScore{12'344, -12'344}));
  EXPECT_EQ(curve.improvements(), 12'345U);
}

TEST(ScoreCurve, OfNothingHasNoSteps) {
  ScoreCurve curve(BestScore::smallest);
  curve.add(0, NAN);
  EXPECT_TRUE(curve.steps().empty());
  EXPECT_FALSE(curve.best());
}

}  // namespace
}  // namespace petri
