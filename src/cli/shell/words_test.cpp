#include "cli/shell/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> words(std::string_view line) {
  const auto split = split_words(line);
  EXPECT_TRUE(split) << split.error().message;
  std::vector<std::string> texts;
  if (split) {
    for (const ShellWord& word : *split) texts.push_back(word.text);
  }
  return texts;
}

std::string complaint(std::string_view line) {
  const auto split = split_words(line);
  if (split) return "it was accepted";
  EXPECT_EQ(split.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(split.error().message, StartsWith("column " + std::string(split.error().detail("column")) + ": "));
  return split.error().message;
}

TEST(ShellWords, AreSeparatedByBlanks) {
  EXPECT_THAT(words("call  orders\tadd 2 -3.5 "), ElementsAre("call", "orders", "add", "2", "-3.5"));
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(" \t "), IsEmpty());
}

TEST(ShellWords, KeepWhatQuotesHold) {
  EXPECT_THAT(words(R"(create a --wat '(module (func (export "f")))')"),
              ElementsAre("create", "a", "--wat", R"((module (func (export "f"))))"));
  EXPECT_THAT(words(R"("two words" '' "" a'b'"c")"), ElementsAre("two words", "", "", "abc"));
  EXPECT_THAT(words(R"("\"\\\n\r\t\x00\xfe")"), ElementsAre(std::string("\"\\\n\r\t\0\xfe", 7)));
  EXPECT_THAT(words(R"('\n' \' a\ b \#)"), ElementsAre("\\n", "'", "a b", "#"));
}

TEST(ShellWords, EndAtAComment) {
  EXPECT_THAT(words("list # all of them, \"even"), ElementsAre("list"));
  EXPECT_THAT(words("# only this"), IsEmpty());
  EXPECT_THAT(words("a#b 'x'#y"), ElementsAre("a#b", "x#y"));
}

TEST(ShellWords, KnowWhereTheyStand) {
  const auto split = split_words("add  'x y' z");
  EXPECT_THAT(*split, ElementsAre(ShellWord{"add", 0, 3}, ShellWord{"x y", 5, 10}, ShellWord{"z", 11, 12}));
}

TEST(ShellWords, OfBadQuotingAreRefusedWithTheColumn) {
  EXPECT_EQ(complaint("send a 'it is"), "column 8: the quote ' is not closed");
  EXPECT_EQ(complaint("ü \"x"), "column 3: the quote \" is not closed");
  EXPECT_EQ(complaint("a \\"), "column 3: there is nothing after the backslash");
  EXPECT_THAT(complaint(R"(a "\q")"), StartsWith("column 4: inside"));
  EXPECT_THAT(complaint(R"(a "\x1")"), StartsWith("column 4: inside"));
  EXPECT_THAT(complaint("a \"\\"), StartsWith("column 4: inside"));
}

TEST(ShellWords, OfBinaryJunkAreRefused) {
  EXPECT_THAT(complaint(std::string_view("ca\0ll", 5)), StartsWith("column 3: the byte 0x00 cannot stand"));
  EXPECT_THAT(complaint("\x1b[31m"), StartsWith("column 1: the byte 0x1b"));
  EXPECT_THAT(complaint("caf\xe9"), StartsWith("column 4: the byte 0xe9"));
  EXPECT_THAT(complaint("'\xed\xa0\x80'"), StartsWith("column 2: the byte 0xed"));
}

TEST(ShellWords, OfAVeryLongLineAreRefused) {
  EXPECT_EQ(words(std::string(kShellLineBytesMax, 'a')).front().size(), kShellLineBytesMax);
  EXPECT_EQ(complaint(std::string(kShellLineBytesMax + 1, 'a')), "column 1048576: the line has more than 1 MiB");
}

TEST(ShellWords, OfAnUnfinishedLineAreThereAsFarAsTheyGo) {
  const WordScan scan = scan_words("create a 'my fi");
  EXPECT_TRUE(scan.open);
  EXPECT_EQ(scan.quote, '\'');
  EXPECT_EQ(scan.words.back().text, "my fi");
  EXPECT_FALSE(scan_words("create a ").open);
  EXPECT_TRUE(scan_words("create a").open);
}

TEST(ShellWords, CanBeTypedAgainWhateverTheyHold) {
  for (const std::string text :
       {"", "plain", "two words", "it's", "say \"so\"", "back\\slash", "#", "tab\there", "ü\xff"}) {
    EXPECT_THAT(words(quote_word(text)), ElementsAre(text)) << quote_word(text);
  }
  EXPECT_EQ(quote_word("a/b=c"), "a/b=c");
}

}  // namespace
}  // namespace petri::cli
