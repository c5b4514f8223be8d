#include "host/functions/output_buffer.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(OutputBuffer, KeepsTheFirstBytesAndCountsTheRest) {
  OutputBuffer output;
  EXPECT_EQ(output.append("abc", 5), 3U);
  EXPECT_EQ(output.append("defg", 5), 2U);
  EXPECT_EQ(output.append("h", 5), 0U);
  EXPECT_EQ(output.text(), "abcde");
  EXPECT_EQ(output.bytes_kept(), 5U);
  EXPECT_EQ(output.bytes_cut(), 3U);
}

TEST(OutputBuffer, KeepsNothingAfterACutEvenWhenThereIsRoomAgain) {
  OutputBuffer output;
  output.append("abcd", 2);
  EXPECT_EQ(output.append("x", 100), 0U);
  EXPECT_EQ(output.text(), "ab");
}

TEST(OutputBuffer, CountsBytesThatOthersTakeAway) {
  OutputBuffer output;
  EXPECT_EQ(output.pass("abc", 4), 3U);
  EXPECT_EQ(output.append("de", 4), 1U);
  EXPECT_EQ(output.text(), "d");
  EXPECT_EQ(output.bytes_kept(), 4U);
}

TEST(OutputBuffer, IsEmptyOnceCleared) {
  OutputBuffer output;
  output.append("abc", 1);
  output.clear();
  EXPECT_EQ(output.append("xy", 2), 2U);
  EXPECT_EQ(output.bytes_cut(), 0U);
}

}  // namespace
}  // namespace petri
