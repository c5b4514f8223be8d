#include "evolve/network_genome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evolve {
namespace {

TEST(NetworkGenome, ExpressesAMirroredGeneAsTwoComparators) {
  EXPECT_EQ(express({{.comparator = {0, 1}, .mirrored = true}}, 8), (Network{{0, 1}, {6, 7}}));
  EXPECT_EQ(express({{.comparator = {0, 1}, .mirrored = false}}, 8), (Network{{0, 1}}));
}

TEST(NetworkGenome, ExpressesAGeneThatIsItsOwnMirrorImageOnce) {
  EXPECT_EQ(express({{.comparator = {3, 4}, .mirrored = true}}, 8), (Network{{3, 4}}));
}

TEST(NetworkGenome, StaysWellFormedAfterRandomMutations) {
  Random random(5);
  for (const std::size_t inputs : {4U, 7U, 8U}) {
    NetworkGenome genome = random_genome(inputs, random);
    for (int i = 0; i < 2'000; ++i) {
      mutate_at_random(genome, inputs, random);
      for (const Comparator comparator : express(genome, inputs)) {
        ASSERT_LT(comparator.upper, comparator.lower);
        ASSERT_LT(comparator.lower, inputs);
      }
    }
  }
}

TEST(NetworkGenome, GrowsAndShrinksByOneGene) {
  Random random(5);
  NetworkGenome genome = random_genome(8, random);
  const std::size_t before = genome.size();

  mutate(genome, NetworkMutation::insert, 8, random);
  EXPECT_EQ(genome.size(), before + 1);
  mutate(genome, NetworkMutation::remove, 8, random);
  EXPECT_EQ(genome.size(), before);
  mutate(genome, NetworkMutation::move, 8, random);
  EXPECT_EQ(genome.size(), before);
}

TEST(NetworkGenome, GrowsWhenThereIsNothingToChange) {
  Random random(5);
  NetworkGenome genome;

  mutate(genome, NetworkMutation::remove, 8, random);

  EXPECT_EQ(genome.size(), 1U);
}

TEST(NetworkGenome, NamesTheMutationsThatWereMade) {
  Random random(5);
  NetworkGenome genome = random_genome(8, random);

  EXPECT_THAT(mutate_at_random(genome, 8, random),
              testing::MatchesRegex("(insert|remove|replace|rewire|swap|move|mirror)(\\+[a-z]+)*"));
}

}  // namespace
}  // namespace evolve
