#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/json/bounded_json.h"

namespace petri {
namespace {

using nlohmann::json;

// As nlohmann's parser reads it; nothing when it does not.
std::optional<json> oracle(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

void expect_the_same(std::string_view text) {
  const auto read = parse_json(text);
  if (!read && read.error().kind == JsonFaultKind::repeated_name) return;  // which nlohmann accepts
  const auto expected = oracle(text);
  ASSERT_EQ(read.has_value(), expected.has_value()) << text;
  if (!read) return;
  EXPECT_EQ(read->dump(-1, ' ', true), expected->dump(-1, ' ', true)) << text;
  EXPECT_EQ(read->type(), expected->type()) << text;
}

TEST(JsonText, ReadsWhatAnotherParserReads) {
  for (const char* text : {"",
                           " ",
                           "0",
                           "-0",
                           "-",
                           "01",
                           "1.",
                           ".5",
                           "1.5",
                           "1e5",
                           "1e+5",
                           "1e-5",
                           "1E5",
                           "1e",
                           "1e+",
                           "-1",
                           "--1",
                           "+1",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "1e-999",
                           "0.1e309",
                           "123456789012345678901234567890",
                           "4.9e-324",
                           "1.7976931348623157e308",
                           "1e999",
                           "true",
                           "tru",
                           "truex",
                           "false",
                           "null",
                           "nulll",
                           "\"\"",
                           "\"a",
                           "\"\\",
                           "\"\\u",
                           "\"\\u00",
                           "\"\\u0041\"",
                           R"("\u00e9\u20ac\ud83d\ude00")",
                           R"("\ud83d")",
                           R"("\ud83dx")",
                           R"("\ud83d\u0041")",
                           R"("\ude00")",
                           R"("\x")",
                           R"("\"\\\/\b\f\n\r\t")",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf5\x80\x80\x80\"",
                           "\"\xe2\x82\"",
                           "\"\x80\"",
                           "[]",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,2]",
                           "[1 2]",
                           "[,1]",
                           "[1}",
                           "{}",
                           "{",
                           "}",
                           "{1:2}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":{\"b\":[{},[]]}}",
                           "\t[ 1 ,\r\n 2 ] ",
                           "1 2",
                           "[] []",
                           "\xef\xbb\xbf[1]",
                           "\xef\xbb",
                           "// no\n1",
                           "NaN",
                           "Infinity",
                           "'a'",
                           "[1]\x00"}) {
    expect_the_same(text);
  }
}

// Good texts with a few wrong bytes are read or refused exactly as the other parser does.
TEST(JsonText, ReadsWhatAnotherParserReadsOfTextsWithErrors) {
  const std::string good =
      R"({"id": "a\u00e9\n", "list": [1, -2.5e3, true, false, null, {"x": []}], "n": 184467440737095516150, "t": ""})";
  const std::string bytes = "{}[]:,\"\\u0123456789eE+-. tfnalse\xc3\xa9\x01\x80";
  std::mt19937 random(7);
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  for (int round = 0; round < 4'000; ++round) {
    std::string text = good;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      if (below(3) == 0) {
        text.erase(at, 1 + below(4));
      } else {
        text[at] = bytes[below(bytes.size())];
      }
    }
    expect_the_same(text);
  }
}

TEST(JsonText, RefusesANumberThatTakesLongToConvert) {
  EXPECT_EQ(*parse_json("0." + std::string(4'000, '0') + "1"), json(0.0));
  for (const std::string& number :
       {std::string(1'000'000, '1'), "0." + std::string(1'000'000, '1'), "1e" + std::string(1'000'000, '0'),
        std::string(4'096, '1') + ".5", std::string(4'097, '1')}) {
    const auto refused = parse_json(number);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error("the child").message, "the child has a number of more than 4096 characters");
    EXPECT_EQ(refused.error().code(), ErrorCode::parse_failed);
  }
}

// Wherever a text is long: in a string, its escapes, spaces, a number, before its end and behind it.
TEST(JsonText, AsksEveryFewThousandBytesWhetherToContinue) {
  const std::string many(1'000'000, 'x'), spaces(1'000'000, ' ');
  std::string escapes;
  while (escapes.size() < many.size()) escapes += "\\n\\u0041\xc3\xa9";
  for (const std::string& text : {'"' + many + '"', '"' + many, '"' + escapes + '"', spaces + "1", "1" + spaces,
                                  "[" + spaces + "]", "{\"a\":\"" + many, "{\"" + many + "\":1}"}) {
    std::size_t asked = 0;
    static_cast<void>(parse_json(text, {}, [&asked] { return ++asked > 0; }));
    EXPECT_GE(asked, text.size() / 8'192);
    EXPECT_LE(asked, text.size() / 4'096 + 1);
  }
}

TEST(JsonText, SaysWhereItIsNotJson) {
  const auto byte_of = [](std::string_view text) { return parse_json(text).error().byte; };
  EXPECT_EQ(byte_of("[1,]"), 4U);
  EXPECT_EQ(byte_of("[1 true]"), 4U);
  EXPECT_EQ(byte_of("trux"), 4U);
  EXPECT_EQ(byte_of("[\"a\\x\"]"), 5U);
  EXPECT_EQ(byte_of("[\"a"), 3U);
}

}  // namespace
}  // namespace petri
