#include "base/escape.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace petri {
namespace {

TEST(EscapeText, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(escape_text("add two numbers (i32)"), "add two numbers (i32)");
  EXPECT_EQ(escape_text("grün 水 🦠"), "grün 水 🦠");
}

// E03 F11
TEST(EscapeText, StaysOnOneLineAndCannotDriveATerminal) {
  EXPECT_EQ(escape_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(escape_text("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(escape_text(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(escape_text("\xc2\x9b"
                        "31m"),
            "\\x9b31m");  // CSI as a C1 control character
  EXPECT_EQ(escape_text("\u202egpj.exe\u2066"), "\\u{202e}gpj.exe\\u{2066}");
  EXPECT_EQ(escape_text("a\u3164\u115f\u1160\uffa0\u2800\u17b4"),
            "a\\u{3164}\\u{115f}\\u{1160}\\u{ffa0}\\u{2800}\\u{17b4}");
  EXPECT_EQ(escape_text("a\u2028b\ufeff"), "a\\u{2028}b\\u{feff}");
  EXPECT_EQ(escape_text("\U000e0041"), "\\u{e0041}");
}

// F11
TEST(EscapeText, ShowsBytesThatAreNotUtf8) { EXPECT_EQ(escape_text("a\xff\xc3("), "a\\xff\\xc3("); }

TEST(EscapeText, CannotBeImitatedByTheGuest) {
  EXPECT_EQ(escape_text("\\n"), "\\\\n");
  EXPECT_NE(escape_text("\\x1b"), escape_text("\x1b"));
}

TEST(EscapeText, IsCutToItsBoundWithAMark) {
  EXPECT_EQ(escape_text("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(escape_text("abcdefghi", 8), "abcde…");
  EXPECT_EQ(escape_text(std::string(100'000, '\n'), 8), "\\n\\n…");
  EXPECT_EQ(escape_text("水水水", 8), "水…");
}

TEST(EscapeText, NeverExceedsItsBoundNorLeavesUtf8) {
  const std::string text = "a\x1b\xff水\\\u202e🦠" + std::string("\0", 1);
  for (std::size_t bytes_max = 3; bytes_max < 40; ++bytes_max) {
    const std::string shown = escape_text(text, bytes_max);
    EXPECT_LE(shown.size(), bytes_max);
    EXPECT_TRUE(is_utf8(shown));
  }
}

// F11 O09
TEST(JsonString, EscapesWhatJsonAndTerminalsCannotTake) {
  EXPECT_EQ(json_string("say \"hi\"\\\n"), R"("say \"hi\"\\\n")");
  EXPECT_EQ(json_string(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(json_string("</script>"), R"("\u003c/script>")");
  EXPECT_EQ(json_string("\u202e"), R"("\u202e")");
  EXPECT_EQ(json_string("\U000e0041"), R"("\udb40\udc41")");
  EXPECT_EQ(json_string("a\xff"), R"("a\ufffd")");
  EXPECT_EQ(json_string("水🦠"), "\"水🦠\"");
  EXPECT_EQ(json_string(""), "\"\"");
}

}  // namespace
}  // namespace petri
