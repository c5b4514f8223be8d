#include "base/json/bounded_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using nlohmann::json;

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t index = 0; index < times; ++index) all += text;
  return all;
}

JsonResult cbor(std::string_view bytes, const JsonBounds& bounds = {}) {
  return parse_cbor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, bounds);
}

std::string why(const JsonResult& result) { return result ? "it was read" : result.error().why; }

TEST(BoundedJson, ReadsWhatJsonHas) {
  const auto read = parse_json(R"({"a": [1, -2, 2.5, "x\n", true, null, {}, []], "b": {"c": 18446744073709551615}})");
  ASSERT_TRUE(read) << read.error().why;
  EXPECT_EQ(read->dump(), R"({"a":[1,-2,2.5,"x\n",true,null,{},[]],"b":{"c":18446744073709551615}})");
  EXPECT_EQ(*parse_json("7"), json(7));
}

TEST(BoundedJson, SaysThatATextIsNotJsonAndWhere) {
  for (const char* text : {"", "{", "[1,]", "1 2", "{\"a\":}", "\"\xff\"", "nul", "[1}"}) {
    EXPECT_THAT(why(parse_json(text)), ::testing::StartsWith("is not JSON from line 1, column ")) << text;
    EXPECT_EQ(parse_json(text).error().code(), ErrorCode::parse_failed);
  }
  EXPECT_EQ(parse_json("[1,]").error().byte, 4U);
  EXPECT_EQ(why(parse_json("")), "is not JSON from line 1, column 1 on");
  EXPECT_EQ(why(parse_json("{\"a\": 1,\n  }")), "is not JSON from line 2, column 3 on");
  EXPECT_EQ(why(parse_json("[1e999]")), "has a number that is too large");
}

TEST(BoundedJson, IsRefusedBeyondItsDepthHoweverDeepItGoes) {
  const JsonBounds bounds{.depth_max = 3};
  EXPECT_TRUE(parse_json("[[[]]]", bounds));
  EXPECT_TRUE(parse_json(R"([[[1]], {"a": [2]}])", bounds));
  EXPECT_EQ(why(parse_json("[[[[]]]]", bounds)), "has more than 3 lists and objects within one another");
  for (const char* opening : {"[", "{\"a\":", "[{\"a\":"}) {
    const auto refused = parse_json(repeated(opening, 1'000'000));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, JsonFaultKind::too_deep) << opening;
    EXPECT_EQ(refused.error().code(), ErrorCode::too_large);
  }
}

TEST(BoundedJson, IsRefusedBeyondItsLengthAndNumberOfValues) {
  EXPECT_TRUE(parse_json("[1,2]", {.bytes_max = 5}));
  EXPECT_EQ(why(parse_json("[1, 2]", {.bytes_max = 5})), "has 6 bytes, more than the 5 allowed");
  EXPECT_TRUE(parse_json(R"({"a":[1,2]})", {.values_max = 5}));
  EXPECT_EQ(why(parse_json(R"({"a":[1,2]})", {.values_max = 4})), "has more than 4 values");
}

TEST(BoundedJson, HasNoNameTwice) {
  EXPECT_EQ(why(parse_json(R"({"fuel": 1, "b": {"fuel": 3}, "fuel": 2})")), "has \"fuel\" twice in one object");
  EXPECT_TRUE(parse_json(R"([{"fuel": 1}, {"fuel": 2}])"));
}

TEST(BoundedJson, FaultIsOneSentence) {
  EXPECT_EQ(
      parse_json("{").error().error("the tree"),
      (Error{
          .code = ErrorCode::parse_failed, .message = "the tree is not JSON from line 1, column 1 on", .details = {}}));
}

TEST(BoundedCbor, ReadsWhatPetriWrites) {
  const json written{{"a", {1, -2, 300, 70'000, 5'000'000'000, -9'000'000'000}},
                     {"b", json::binary({1, 2, 255})},
                     {"c", {{"d", nullptr}, {"e", true}, {"f", false}, {"g", json::array()}, {"h", json::object()}}},
                     {"i", std::string(70'000, 'x')},
                     {"j", std::numeric_limits<std::uint64_t>::max()},
                     {"k", std::numeric_limits<std::int64_t>::min()}};
  const auto read = parse_cbor(json::to_cbor(written));
  ASSERT_TRUE(read) << read.error().why;
  EXPECT_EQ(*read, written);
}

TEST(BoundedCbor, RefusesEveryPrefixOfIt) {
  const auto bytes = json::to_cbor({{"a", {1, "two", json::binary({3})}}, {"b", {{"c", 4'000'000'000}}}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_cbor(std::span(bytes).first(size))) << size;
  }
  EXPECT_TRUE(parse_cbor(bytes));
}

TEST(BoundedCbor, IsRefusedBeyondItsDepthHoweverDeepItGoes) {
  EXPECT_TRUE(cbor("\x81\x81\x01", {.depth_max = 2}));
  EXPECT_EQ(why(cbor("\x81\x81\x81\x01", {.depth_max = 2})), "has more than 2 lists and objects within one another");
  // Arrays, maps, and what recurses in other readers: tags, strings of unknown length.
  for (const std::string_view opening :
       {std::string_view("\x81"), std::string_view("\xa1\x61\x61"), std::string_view("\x9f"), std::string_view("\xbf"),
        std::string_view("\xc0"), std::string_view("\x7f"), std::string_view("\x5f")}) {
    EXPECT_FALSE(cbor(repeated(opening, 1'000'000)));
  }
}

TEST(BoundedCbor, BelievesNoLength) {
  using namespace std::literals;
  EXPECT_EQ(why(cbor("\x9b\x7f\xff\xff\xff\xff\xff\xff\xff\xe0"sv)), "says that more follows than it has");
  EXPECT_EQ(why(cbor("\xbb\x7f\xff\xff\xff\xff\xff\xff\xff\xe0"sv)), "says that more follows than it has");
  EXPECT_EQ(why(cbor("\x5b\xff\xff\xff\xff\xff\xff\xff\xff\x00"sv)), "ends too early");
  EXPECT_EQ(why(cbor("\x7b\xff\xff\xff\xff\xff\xff\xff\xff\x00"sv)), "ends too early");
  EXPECT_EQ(why(cbor("\x82\x01"sv)), "says that more follows than it has");
}

TEST(BoundedCbor, RefusesWhatPetriDoesNotWrite) {
  using namespace std::literals;
  EXPECT_EQ(why(cbor("\x01\x02"sv)), "has something behind its end");
  EXPECT_EQ(why(cbor("\xa1\x01\x02"sv)), "has a map whose names are not text");
  EXPECT_EQ(why(cbor("\xa2\x61\x61\x01\x61\x61\x02"sv)), "has \"a\" twice in one object");
  EXPECT_EQ(why(cbor("\xc1\x01"sv)), "has a tag");
  EXPECT_EQ(why(cbor("\xf9\x3c\x00"sv)), "has a value of a kind that petri does not write");
  EXPECT_EQ(why(cbor("\x3b\xff\xff\xff\xff\xff\xff\xff\xff"sv)), "has a number that is too small");
  EXPECT_EQ(why(cbor("\x1c"sv)), "has a part of unknown length");
}

// One text of a hundred thousand bytes is one value, and is stopped all the same.
TEST(BoundedJson, IsStoppedInTheMiddleOfAText) {
  int asked = 0;
  const auto parsed = parse_json('"' + std::string(100'000, 'x') + '"', {}, [&asked] { return ++asked < 3; });
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(parsed.error().error("the child").message, "the child was not read to its end: its reader was stopped");
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace petri
