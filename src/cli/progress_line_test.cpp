#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using namespace std::chrono_literals;

ProgressState halfway() {
  return {.done = 5'200,
          .total = 10'000,
          .kinds = {{"ok", 5'000}, {"trapped", 0}, {"out_of_fuel", 150}, {"errors", 50}},
          .elapsed = 2s};
}

TEST(ProgressLine, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(progress_line(halfway(), 120),
            "[==========>         ]   52 %  5,200 of 10,000  2,600/s  2 s left  ok 5,000  out_of_fuel 150  errors 50");
}

TEST(ProgressLine, LeavesOutTheLeastImportantFirst) {
  const std::pair<std::size_t, std::string> lines[] = {
      {104, "[==========>         ]   52 %  5,200 of 10,000  2,600/s  2 s left  ok 5,000  out_of_fuel 150  errors 50"},
      {103, "[==========>         ]   52 %  5,200 of 10,000  2,600/s  2 s left  ok 5,000  out_of_fuel 150"},
      {80, "[==========>         ]   52 %  5,200 of 10,000  2,600/s  2 s left  ok 5,000"},
      {60, " 52 %  5,200 of 10,000  2,600/s  2 s left  ok 5,000"},
      {40, " 52 %  5,200 of 10,000  2 s left"},
      {24, " 52 %  5,200 of 10,000"},
      {7, " 52 %"},
      {1, ""},
      {0, ""},
  };
  for (const auto& [columns, line] : lines) EXPECT_EQ(progress_line(halfway(), columns), line) << columns;
}

TEST(ProgressLine, NeverFillsTheLastColumn) {
  for (std::size_t columns = 1; columns < 200; ++columns) {
    EXPECT_LT(progress_line(halfway(), columns).size(), columns);
  }
}

TEST(ProgressLine, PromisesNothingBeforeAnythingIsDone) {
  EXPECT_EQ(progress_line({.done = 0, .total = 10}, 80), "[>                   ]    0 %  0 of 10");
  EXPECT_EQ(progress_line({.done = 0, .total = 10, .elapsed = 3s}, 80), "[>                   ]    0 %  0 of 10");
  EXPECT_EQ(progress_line({.done = 1, .total = 10}, 80), "[==>                 ]   10 %  1 of 10");
}

TEST(ProgressLine, SaysAHundredPercentOnlyAtTheEnd) {
  EXPECT_EQ(progress_line({.done = 9'999, .total = 10'000}, 80), "[===================>]   99 %  9,999 of 10,000");
  EXPECT_EQ(progress_line({.done = 10'000, .total = 10'000, .elapsed = 1s}, 80),
            "[====================]  100 %  10,000 of 10,000  10,000/s");
  EXPECT_EQ(progress_line({.done = 0, .total = 0}, 80), "[====================]  100 %  0 of 0");
}

TEST(ProgressLine, ShowsSlowWorkInTenthsAndLongTimesInHours) {
  EXPECT_EQ(progress_line({.done = 1, .total = 3'601, .elapsed = 2s}, 80),
            "[>                   ]    0 %  1 of 3,601  0.5/s  2 h left");
  EXPECT_EQ(progress_line({.done = 1, .total = SIZE_MAX, .elapsed = 10h}, 40),
            "  0 %  1 of 18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace petri::cli
