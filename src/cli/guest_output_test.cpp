#include "cli/guest_output.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(GuestOutput, KeepsTextAsItIsOnATerminal) { EXPECT_EQ(for_terminal("a\tü€\\\n"), "a\tü€\\\n"); }

TEST(GuestOutput, TakesControlOfTheTerminalFromTheGuest) {
  EXPECT_EQ(for_terminal("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(for_terminal("fake\rreal"), "fake\\x0dreal");
  EXPECT_EQ(for_terminal(std::string_view("\0\x7f\a", 3)), "\\x00\\x7f\\x07");
}

TEST(GuestOutput, EscapesControlCharactersOfTwoBytes) {
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "31m"),
            "\\xc2\x9b"
            "31m");
  EXPECT_EQ(for_terminal("\xc2\xa0"), "\xc2\xa0");
  EXPECT_EQ(for_terminal("\xc2"), "\xc2");
}

TEST(GuestOutput, PutsALogLineOnOneLine) {
  EXPECT_EQ(log_line(LogLevel::warning, "a\nerror: b"), "log warning: a\\nerror: b\n");
}

}  // namespace
}  // namespace petri::cli
