#include "base/text/escape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/text/utf8.h"

namespace petri {
namespace {

std::string utf8(std::uint32_t c) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const auto next = [&](int shift) { return byte(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x800) return {byte(0xc0 | (c >> 6)), next(0)};
  if (c < 0x10000) return {byte(0xe0 | (c >> 12)), next(6), next(0)};
  return {byte(0xf0 | (c >> 18)), next(12), next(6), next(0)};
}

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

// Unicode's Default_Ignorable_Code_Point: nothing of it reaches a terminal as it is.
TEST(EscapeText, ShowsAllThatUnicodeLetsATerminalHide) {
  const std::pair<std::uint32_t, std::uint32_t> ignorable[] = {
      {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},  {0x180b, 0x180f},
      {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},  {0xfeff, 0xfeff},
      {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  for (const auto& [first, last] : ignorable) {
    for (std::uint32_t c = first; c <= last; ++c) {
      EXPECT_EQ(escape_text(utf8(c)), fmt::format("\\u{{{:x}}}", c));
    }
  }
  EXPECT_EQ(json_string("\ufe0f\U0001d173"), R"("\ufe0f\ud834\udd73")");
  EXPECT_EQ(escape_text("\u034e\u0350\ufe10\U0001d172"), "\u034e\u0350\ufe10\U0001d172") << "neighbours stay";
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
