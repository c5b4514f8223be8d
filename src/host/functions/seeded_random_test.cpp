#include "host/functions/seeded_random.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

namespace petri {
namespace {

TEST(SeededRandom, DependsOnTheSeedAlone) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom c(8);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = a.next();
    EXPECT_EQ(number, b.next());
    EXPECT_NE(number, c.next());
  }
}

// Receipts depend on these for ever.
TEST(SeededRandom, StartsWithTheNumbersItAlwaysStartedWith) {
  SeededRandom random(0);
  EXPECT_EQ(random.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(random.next(), 0xbf6e1f784956452aU);
}

TEST(SeededRandom, FillsBytesFromTheSameNumbers) {
  SeededRandom numbers(3);
  SeededRandom bytes(3);
  std::vector<std::uint8_t> filled(11);
  bytes.fill(filled);
  const std::uint64_t first = numbers.next();
  const std::uint64_t second = numbers.next();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(filled[i], static_cast<std::uint8_t>(first >> (8 * i)));
  for (std::size_t i = 8; i < 11; ++i) EXPECT_EQ(filled[i], static_cast<std::uint8_t>(second >> (8 * (i - 8))));
  EXPECT_EQ(bytes.next(), numbers.next());
}

TEST(SeededRandom, HasBalancedBitsAndNoRepeats) {
  SeededRandom random(1);
  std::set<std::uint64_t> seen;
  int ones = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t number = random.next();
    seen.insert(number);
    ones += std::popcount(number);
  }
  EXPECT_EQ(seen.size(), 10'000U);
  EXPECT_NEAR(ones, 320'000, 3'000);
}

}  // namespace
}  // namespace petri
