// How many of twenty seeds solve each of Koza's and Nguyen's problems within a budget. Random numbers come from the
// seed alone, so the counts are the same on every machine, and another count means that something else is evaluated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evolve/generations.h"
#include "evolve/symbolic_regression.h"

namespace evolve {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr std::size_t kBudget = 20'000;

std::size_t solved_of(const char* name) {
  std::size_t solved = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    TreeProblem problem(symbolic_regression(regression_benchmark(name).value(), seed), seed);
    const auto end = run_generations(problem, {.budget = kBudget});
    if (end && end->ending == Ending::solved) ++solved;
  }
  fmt::print("{}: {} of {} seeds within {} evaluations\n", name, solved, kSeeds, kBudget);
  return solved;
}

class SuccessCounts : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(SuccessCounts, OfTwentySeedsAreAsEver) { EXPECT_EQ(solved_of(GetParam().first), GetParam().second); }

using Row = std::pair<const char*, std::size_t>;
INSTANTIATE_TEST_SUITE_P(Koza, SuccessCounts, testing::Values(Row{"koza-1", 13}, Row{"koza-2", 7}, Row{"koza-3", 5}));
INSTANTIATE_TEST_SUITE_P(Nguyen, SuccessCounts,
                         testing::Values(Row{"nguyen-1", 20}, Row{"nguyen-2", 13}, Row{"nguyen-3", 6},
                                         Row{"nguyen-4", 4}, Row{"nguyen-5", 13}, Row{"nguyen-6", 13},
                                         Row{"nguyen-7", 7}, Row{"nguyen-8", 2}, Row{"nguyen-9", 14},
                                         Row{"nguyen-10", 8}));

}  // namespace
}  // namespace evolve
