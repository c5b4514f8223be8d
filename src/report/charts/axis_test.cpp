#include "report/charts/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels_of(const Axis& axis, std::size_t ticks_max) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks_of(axis, ticks_max)) labels.push_back(tick.label);
  return labels;
}

Axis axis_of(std::initializer_list<double> values) { return axis_for(std::span(values.begin(), values.size())); }

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(labels_of({.from = 0, .to = 9'999}, 6), ElementsAre("0", "2,000", "4,000", "6,000", "8,000"));
  EXPECT_THAT(labels_of({.from = 0.13, .to = 0.41}, 4), ElementsAre("0.2", "0.3", "0.4"));
  EXPECT_THAT(labels_of({.from = -1, .to = 1}, 5), ElementsAre("-1", "-0.5", "0", "0.5", "1"));
  EXPECT_THAT(labels_of({.from = 0, .to = 3e6}, 4), ElementsAre("0", "1M", "2M", "3M"));
}

TEST(Axis, WritesAsManyDigitsAsTellNeighboursApart) {
  EXPECT_THAT(labels_of({.from = 0.492101, .to = 0.492161}, 4), ElementsAre("0.49212", "0.49214", "0.49216"));
}

TEST(Axis, HasPowersOfTenWhenItIsLogarithmic) {
  EXPECT_THAT(labels_of({.from = 0.5, .to = 2e3, .logarithmic = true}, 6), ElementsAre("1", "10", "100", "1,000"));
  EXPECT_THAT(labels_of({.from = 100, .to = 500, .logarithmic = true}, 5), ElementsAre("100", "200", "500"));
  EXPECT_LE(labels_of({.from = 1e-200, .to = 1e200, .logarithmic = true}, 6).size(), 7U);
}

TEST(Axis, PlacesNumbersBetweenItsEnds) {
  EXPECT_DOUBLE_EQ(place_on({.from = 10, .to = 20}, 15), 0.5);
  EXPECT_DOUBLE_EQ(place_on({.from = 1, .to = 100, .logarithmic = true}, 10), 0.5);
  EXPECT_DOUBLE_EQ(place_on({.from = -1e300, .to = 1e300}, 0), 0.5);
  EXPECT_LT(place_on({.from = 1, .to = 100, .logarithmic = true}, 0), 0);
}

TEST(Axis, IsLogarithmicForScoresOfManySizes) {
  EXPECT_EQ(axis_of({1, 10, 99}), (Axis{.from = 1, .to = 99}));
  EXPECT_EQ(axis_of({1, 10, 100}), (Axis{.from = 1, .to = 100, .logarithmic = true}));
  EXPECT_EQ(axis_of({-1, 10, 1e6}), (Axis{.from = -1, .to = 1e6}));
}

TEST(Axis, GivesZeroAPlaceOfItsOwn) {
  const Axis axis = axis_of({0, 1, 1'000});
  EXPECT_EQ(axis, (Axis{.from = 1, .to = 1'000, .logarithmic = true, .below = Below::zero}));
  EXPECT_EQ(place_on(axis, 0), 0);
  EXPECT_GT(place_on(axis, 1), 0);
  EXPECT_EQ(labels_of(axis, 4).front(), "0");
}

TEST(Axis, TakesWhatRoundingLeftForZero) {
  EXPECT_EQ(axis_of({4.7e-31, 0.1, 1'000}),
            (Axis{.from = 0.1, .to = 1'000, .logarithmic = true, .below = Below::nearly_zero}));
  EXPECT_EQ(axis_of({4.7e-31, 1, 10}), (Axis{.from = 4.7e-31, .to = 10}));
  EXPECT_EQ(axis_of({1e-9, 1e-5, 1}), (Axis{.from = 1e-9, .to = 1, .logarithmic = true}));
}

TEST(Axis, HasRoomAroundASingleNumber) {
  EXPECT_EQ(axis_of({4, 4}), (Axis{.from = 2, .to = 6}));
  EXPECT_EQ(axis_of({0}), (Axis{.from = -1, .to = 1}));
  EXPECT_EQ(axis_of({}), Axis{});
}

}  // namespace
}  // namespace petri
