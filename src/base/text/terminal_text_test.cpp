#include "base/text/terminal_text.h"

#include <gtest/gtest.h>

#include "base/text/utf8.h"

namespace petri {
namespace {

using namespace std::string_view_literals;

TEST(TerminalText, KeepsTextLinesTabsAndBackslashes) { EXPECT_EQ(for_terminal("a\tü€😀\\n\n"), "a\tü€😀\\n\n"); }

TEST(TerminalText, EscapesControlCharactersOfBothSets) {
  EXPECT_EQ(for_terminal("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(for_terminal("fake\rreal"), "fake\\rreal");
  EXPECT_EQ(for_terminal(std::string_view("\0\x7f\a", 3)), "\\x00\\x7f\\x07");
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(for_terminal("\xc2\xa0"), "\xc2\xa0");
}

TEST(TerminalText, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(for_terminal("\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(for_terminal("\xc2"), "\\xc2");
  EXPECT_EQ(for_terminal("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(for_terminal("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(for_terminal("\xff\xfe"), "\\xff\\xfe");
}

TEST(TerminalText, EscapesWhatIsInvisibleOrTurnsTheDirectionOfWriting) {
  const std::string direction = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c";
  EXPECT_EQ(for_terminal(direction),
            "\\u{202a}\\u{202b}\\u{202c}\\u{202d}\\u{202e}\\u{2066}\\u{2067}\\u{2068}\\u{2069}\\u{200e}\\u{200f}\\u{"
            "61c}");
  EXPECT_EQ(for_terminal("\u200b\u200c\u200d\u2060\ufeff"), "\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}");
}

// A terminal would join what two writes have cut apart.
TEST(TerminalText, EscapesACharacterThatComesInTwoPieces) {
  for (const std::string_view character : {"\u009b", "\u202e", "\U000e0041", "\u200b"}) {
    for (std::size_t cut = 1; cut < character.size(); ++cut) {
      TerminalText text;
      std::string shown = text.next(character.substr(0, cut));
      EXPECT_EQ(shown, "");
      shown += text.next(character.substr(cut));
      EXPECT_EQ(shown, for_terminal(character));
      EXPECT_EQ(text.finish(), "");
    }
  }
}

TEST(TerminalText, ShowsACharacterOnceItsLastByteHasCome) {
  TerminalText text;
  EXPECT_EQ(text.next("a\xe2"), "a");
  EXPECT_EQ(text.next("\x82"), "");
  EXPECT_EQ(text.next("\xac b"), "€ b");
  EXPECT_EQ(text.next("\xf0\x9f"), "");
  EXPECT_EQ(text.finish(), "\\xf0\\x9f");
  EXPECT_EQ(text.finish(), "");
}

// For any bytes, cut anywhere, the result is UTF-8 without a control character.
TEST(TerminalText, GivesATerminalNothingToObeyWhereverItIsCut) {
  constexpr std::string_view hostile = "\x1b[31m\xc2\x9b\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xe2\xc2\x85\r\0ok\n"sv;
  const std::string whole = for_terminal(hostile);
  for (std::size_t first = 0; first <= hostile.size(); ++first) {
    for (std::size_t second = first; second <= hostile.size(); ++second) {
      TerminalText text;
      std::string shown = text.next(hostile.substr(0, first));
      shown += text.next(hostile.substr(first, second - first));
      shown += text.next(hostile.substr(second));
      shown += text.finish();
      EXPECT_EQ(shown, whole) << first << " " << second;
    }
  }
  EXPECT_TRUE(is_utf8(whole));
  for (const char c : whole) EXPECT_TRUE((c >= 0x20 && c < 0x7f) || c == '\n');
}

}  // namespace
}  // namespace petri
