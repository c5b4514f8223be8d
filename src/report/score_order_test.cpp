#include "report/best_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

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

// F15: whatever scores there are, sorting by them is well defined, and NaN wins nothing.
TEST(ScoreOrder, IsOneWhateverIsReported) {
  const std::vector<std::optional<double>> scores{NAN,    INFINITY, -INFINITY, -0.0, 0.0,
                                                  5e-324, -5e-324,  1.0,       -1.0, std::nullopt};
  for (const BestScore best : {BestScore::smallest, BestScore::largest}) {
    for (const auto& a : scores) {
      EXPECT_FALSE(is_better(a, a, best));
      for (const auto& b : scores) {
        EXPECT_FALSE(is_better(a, b, best) && is_better(b, a, best));
        for (const auto& c : scores) {
          const bool in_a_row = is_better(a, b, best) && is_better(b, c, best);
          EXPECT_TRUE(!in_a_row || is_better(a, c, best));
          const bool alike = !is_better(a, b, best) && !is_better(b, a, best);
          const bool alike_too = !is_better(b, c, best) && !is_better(c, b, best);
          EXPECT_FALSE(alike && alike_too && (is_better(a, c, best) || is_better(c, a, best)));
        }
      }
    }
    EXPECT_TRUE(is_better(best == BestScore::smallest ? INFINITY : -INFINITY, NAN, best)) << "the worst number";
    EXPECT_FALSE(is_better(-0.0, 0.0, best) || is_better(0.0, -0.0, best));
    EXPECT_NE(is_better(5e-324, 0.0, best), is_better(0.0, 5e-324, best));
  }
}

TEST(ScoreOrder, HasNamesThatCanBeReadBack) {
  EXPECT_EQ(best_score_named(name_of(BestScore::largest)), BestScore::largest);
  EXPECT_EQ(best_score_named("smallest"), BestScore::smallest);
  EXPECT_EQ(best_score_named("small"), std::nullopt);
}

}  // namespace
}  // namespace petri
