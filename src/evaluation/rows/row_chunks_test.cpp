#include "evaluation/rows/row_chunks.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(RowChunks, HandOutEveryRowOnce) {
  RowChunks chunks(Chunk::kRows + 3, 2);
  EXPECT_EQ(chunks.size(), 2U);
  Chunk* const first = chunks.claim(0);
  Chunk* const second = chunks.claim(1);
  EXPECT_EQ(chunks.claim(0), nullptr);
  std::size_t row = 0;
  while (const auto taken = first->take()) EXPECT_EQ(*taken, row++);
  EXPECT_EQ(row, Chunk::kRows);
  while (const auto taken = second->take()) EXPECT_EQ(*taken, row++);
  EXPECT_EQ(row, Chunk::kRows + 3);
  EXPECT_FALSE(second->take());
}

TEST(RowChunks, ShowWhereThereIsStillWork) {
  RowChunks chunks(2 * Chunk::kRows, 2);
  EXPECT_EQ(chunks.unfinished(), nullptr);
  Chunk* const first = chunks.claim(0);
  Chunk* const second = chunks.claim(1);
  while (first->take()) {
  }
  EXPECT_EQ(chunks.unfinished(), second);
  while (second->take()) {
  }
  EXPECT_EQ(chunks.unfinished(), nullptr);
}

TEST(RowChunks, AreDoneWithTheLastOfWhatIsLeft) {
  RowChunks chunks(2, 1);
  Chunk& chunk = *chunks.claim(0);
  EXPECT_FALSE(chunk.bring_one());  // its opening
  EXPECT_FALSE(chunk.bring_one());
  EXPECT_TRUE(chunk.bring_one());
}

}  // namespace
}  // namespace petri
