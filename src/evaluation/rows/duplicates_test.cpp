#include "evaluation/rows/duplicates.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

Sha256 digest_key(std::uint8_t first, std::uint8_t last) {
  Sha256 digest{};
  digest.bytes.front() = first;
  digest.bytes.back() = last;
  return digest;
}

TEST(Duplicates, NameTheFirstRowOfTheirKind) {
  // Keys that begin alike share a place but are not the same.
  const std::vector<Sha256> keys{digest_key(1, 1), digest_key(2, 1), digest_key(1, 1), digest_key(1, 2),
                                 digest_key(1, 2), digest_key(2, 1), digest_key(1, 1)};
  Duplicates duplicates(keys);
  const std::size_t expected[] = {0, 1, 0, 3, 3, 1, 0};
  for (std::size_t row = 0; row < keys.size(); ++row) EXPECT_EQ(duplicates.first_row_like(row), expected[row]) << row;
}

TEST(Duplicates, FindARowAmongManyThatCrowdTheSamePlace) {
  std::vector<Sha256> keys;
  for (int row = 0; row < 200; ++row) keys.push_back(digest_key(7, static_cast<std::uint8_t>(row)));
  keys.push_back(digest_key(7, 150));
  Duplicates duplicates(keys);
  for (std::size_t row = 0; row < 200; ++row) EXPECT_EQ(duplicates.first_row_like(row), row);
  EXPECT_EQ(duplicates.first_row_like(200), 150U);
}

}  // namespace
}  // namespace petri
