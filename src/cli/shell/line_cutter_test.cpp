#include "cli/shell/line_cutter.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(LineCutter, GivesLinesAsTheirEndsCome) {
  LineCutter cutter(100);
  cutter.add("one\ntw");
  EXPECT_EQ(cutter.next(), (CutLine{.text = "one"}));
  EXPECT_EQ(cutter.next(), std::nullopt);
  cutter.add("o\r\n\nrest");
  EXPECT_EQ(cutter.next(), (CutLine{.text = "two"}));
  EXPECT_EQ(cutter.next(), (CutLine{.text = ""}));
  EXPECT_EQ(cutter.next(), std::nullopt);
  cutter.finish();
  EXPECT_EQ(cutter.next(), (CutLine{.text = "rest"}));
  EXPECT_EQ(cutter.next(), std::nullopt);
}

TEST(LineCutter, SkipsALineThatIsTooLongAndContinues) {
  LineCutter cutter(4);
  cutter.add("1234\r\n12345\n");
  EXPECT_EQ(cutter.next(), (CutLine{.text = "1234"}));
  EXPECT_EQ(cutter.next(), (CutLine{.text = "", .too_long = true}));
  for (int i = 0; i < 1'000; ++i) {
    cutter.add("xxxx");
    EXPECT_EQ(cutter.next(), std::nullopt);
  }
  cutter.add("x\nok\n");
  EXPECT_EQ(cutter.next(), (CutLine{.text = "", .too_long = true}));
  EXPECT_EQ(cutter.next(), (CutLine{.text = "ok"}));
}

TEST(LineCutter, ReportsALongLineThatNeverEnds) {
  LineCutter cutter(4);
  cutter.add("1234567");
  EXPECT_EQ(cutter.next(), std::nullopt);
  cutter.finish();
  EXPECT_EQ(cutter.next(), (CutLine{.text = "", .too_long = true}));
  EXPECT_EQ(cutter.next(), std::nullopt);
}

}  // namespace
}  // namespace petri::cli
