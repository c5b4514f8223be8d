#include "report/score_order.h"

#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

TEST(ScoreOrder, GoesTheWayTheCallerSays) {
  EXPECT_TRUE(is_better(1, 2, BestScore::smallest));
  EXPECT_FALSE(is_better(2, 1, BestScore::smallest));
  EXPECT_TRUE(is_better(2, 1, BestScore::largest));
  EXPECT_FALSE(is_better(1, 1, BestScore::largest));
  EXPECT_TRUE(is_better(-INFINITY, -1e300, BestScore::smallest));
}

TEST(ScoreOrder, PutsWhatIsNoNumberLast) {
  for (const BestScore best : {BestScore::smallest, BestScore::largest}) {
    EXPECT_FALSE(is_better(NAN, 1, best));
    EXPECT_FALSE(is_better(std::nullopt, 1, best));
    EXPECT_TRUE(is_better(1, NAN, best));
    EXPECT_TRUE(is_better(1, std::nullopt, best));
    EXPECT_FALSE(is_better(NAN, NAN, best));
  }
}

TEST(ScoreOrder, HasNamesThatCanBeReadBack) {
  EXPECT_EQ(best_score_named(name_of(BestScore::largest)), BestScore::largest);
  EXPECT_EQ(best_score_named("smallest"), BestScore::smallest);
  EXPECT_EQ(best_score_named("small"), std::nullopt);
}

}  // namespace
}  // namespace petri
