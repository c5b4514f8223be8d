#include "evolve/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evolve/network_drawing.h"
#include "evolve/test_networks.h"

namespace evolve {
namespace {

TEST(NetworkLayers, PutEachComparatorAsEarlyAsItCanBe) {
  const Network network{{0, 1}, {1, 2}, {3, 4}, {0, 3}};

  EXPECT_THAT(layers(network, 5), testing::ElementsAre(Network{{0, 1}, {3, 4}}, Network{{0, 3}, {1, 2}}));
}

TEST(NetworkTidied, IsTheSameHoweverItWasWritten) {
  EXPECT_EQ(tidied({{2, 3}, {0, 1}, {1, 2}}, 4), tidied({{0, 1}, {2, 3}, {1, 2}}, 4));
}

TEST(NetworkTidied, LeavesOutAComparatorThatRepeatsTheLastOnItsLines) {
  EXPECT_EQ(tidied({{0, 1}, {2, 3}, {0, 1}}, 4), (Network{{0, 1}, {2, 3}}));
  EXPECT_EQ(tidied({{0, 1}, {1, 2}, {0, 1}}, 3).size(), 3U);
}

TEST(ZeroOneBatches, HoldEverySequenceOnceGivenAndSorted) {
  const auto batches = zero_one_batches(8);

  ASSERT_EQ(batches.size(), 4U);
  EXPECT_EQ(batches[0].given[0], 0xaaaa'aaaa'aaaa'aaaaU);
  EXPECT_EQ(batches[3].given[7], ~std::uint64_t{0});
  EXPECT_EQ(batches[0].sorted[0], 0U);                      // only the sequence of ones has a one on top
  EXPECT_EQ(batches[3].sorted[0], std::uint64_t{1} << 63);  // which is the last
  EXPECT_EQ(batches[0].sorted[7], ~std::uint64_t{1});       // only the first has no one at the bottom
}

TEST(ZeroOneBatches, FitOneWordUpToSixInputs) {
  EXPECT_EQ(zero_one_batches(4).size(), 1U);
  EXPECT_EQ(zero_one_batches(6).size(), 1U);
  EXPECT_EQ(zero_one_batches(7).size(), 2U);
}

TEST(CountWrong, CountsSequencesThatAreSortedButNotThemselves) {
  const ZeroOneBatch batch = zero_one_batches(4).front();

  EXPECT_EQ(count_wrong(batch, batch.sorted), 0U);
  EXPECT_EQ(count_wrong(batch, std::vector<std::uint64_t>(4, 0)), 15U);  // all zeros: sorted, but not what was given
}

class KnownNetwork : public testing::TestWithParam<std::size_t> {};

TEST_P(KnownNetwork, OfTheOptimalSizeSortsAsAModule) {
  const Network network = optimal_network(GetParam());

  EXPECT_EQ(network.size(), proved_optimum(GetParam()));
  EXPECT_EQ(wrong_sequences(network, GetParam()), 0U);
}

TEST_P(KnownNetwork, SortsNoMoreWithAnyOneComparatorRemoved) {
  const Network network = optimal_network(GetParam());
  for (std::size_t removed = 0; removed < network.size(); ++removed) {
    Network less = network;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(removed));
    EXPECT_GT(wrong_sequences(less, GetParam()), 0U) << "without comparator " << removed;
  }
}

INSTANTIATE_TEST_SUITE_P(FromFourToEightInputs, KnownNetwork, testing::Range(kInputsMin, kInputsMax + 1));

TEST(ProvedOptimum, IsTheKnownSize) {
  EXPECT_THAT(
      (std::vector{proved_optimum(4), proved_optimum(5), proved_optimum(6), proved_optimum(7), proved_optimum(8)}),
      testing::ElementsAre(5, 9, 12, 16, 19));
}

TEST(NetworkDrawing, ShowsLayersFromLeftToRight) {
  EXPECT_THAT(draw(optimal_network(4), 4), testing::ElementsAre("──●───●────────",  //
                                                                "  │   │        ",  //
                                                                "──●───┼─●───●──",  //
                                                                "      │ │   │  ",  //
                                                                "──●───●─┼───●──",  //
                                                                "  │     │      ",  //
                                                                "──●─────●──────"));
}

}  // namespace
}  // namespace evolve
