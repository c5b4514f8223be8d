#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace petri {
namespace {

TEST(Utf8, TakesTheFirstAndLastCharacterOfEachLength) {
  const std::vector<std::pair<std::string_view, char32_t>> cases{{"\x7f", 0x7f},
                                                                 {"\xc2\x80", 0x80},
                                                                 {"\xdf\xbf", 0x7ff},
                                                                 {"\xe0\xa0\x80", 0x800},
                                                                 {"\xed\x9f\xbf", 0xd7ff},
                                                                 {"\xee\x80\x80", 0xe000},
                                                                 {"\xef\xbf\xbf", 0xffff},
                                                                 {"\xf0\x90\x80\x80", 0x10000},
                                                                 {"\xf4\x8f\xbf\xbf", 0x10ffff}};
  for (const auto& [text, code_point] : cases) {
    const Utf8Step step = decode_utf8(text);
    EXPECT_TRUE(step.valid);
    EXPECT_EQ(step.code_point, code_point);
    EXPECT_EQ(step.bytes, text.size());
  }
}

TEST(Utf8, RefusesOverlongSurrogateTruncatedAndTooLarge) {
  for (const std::string_view text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xc3(", "\xe2(\xa1"}) {
    EXPECT_FALSE(decode_utf8(text).valid);
    EXPECT_EQ(decode_utf8(text).bytes, 1U);
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(Utf8, LooksAtTheWholeText) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("grün 水 🦠"));
  EXPECT_FALSE(is_utf8("gr\xfcn"));
}

TEST(Utf8Prefix, CutsNoCharacterApart) {
  EXPECT_EQ(utf8_prefix("aé水", 6), "aé水");
  EXPECT_EQ(utf8_prefix("aé水", 5), "aé");
  EXPECT_EQ(utf8_prefix("aé水", 3), "aé");
  EXPECT_EQ(utf8_prefix("aé水", 2), "a");
  EXPECT_EQ(utf8_prefix("aé水", 0), "");
  EXPECT_EQ(utf8_prefix("🦠", 3), "");
}

TEST(Utf8Prefix, KeepsToItsBoundForBytesThatAreNoText) {
  const std::string_view continuations = "\x80\x80\x80\x80\x80\x80\x80\x80";
  EXPECT_EQ(utf8_prefix(continuations, 5).size(), 5U);
}

}  // namespace
}  // namespace petri
