#include "petri/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

namespace petri {
namespace {

Value value_of(std::string_view text, ValueType type) {
  const auto value = parse_value(text, type);
  EXPECT_TRUE(value) << text;
  return value.value_or(Value(std::int32_t{-99}));
}

std::string refusal(std::string_view text, ValueType type) {
  const auto value = parse_value(text, type);
  if (value) return "no refusal";
  EXPECT_EQ(value.error().code, ErrorCode::validation_failed);
  return value.error().message;
}

TEST(ParseValue, ReadsIntegersInBothNotations) {
  EXPECT_EQ(value_of("7", ValueType::i32).i32(), 7);
  EXPECT_EQ(value_of("-3", ValueType::i32).i32(), -3);
  EXPECT_EQ(value_of("+3", ValueType::i64).i64(), 3);
  EXPECT_EQ(value_of("0x1f", ValueType::i32).i32(), 31);
  EXPECT_EQ(value_of("-0x1F", ValueType::i64).i64(), -31);
}

TEST(ParseValue, MeetsBothEndsOfTheIntegers) {
  EXPECT_EQ(value_of("2147483647", ValueType::i32).i32(), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(value_of("-2147483648", ValueType::i32).i32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(value_of("9223372036854775807", ValueType::i64).i64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value_of("-9223372036854775808", ValueType::i64).i64(), std::numeric_limits<std::int64_t>::min());
}

TEST(ParseValue, RefusesIntegersThatDoNotFit) {
  for (const std::string_view text : {"2147483648", "-2147483649", "0x100000000", "99999999999999999999"}) {
    EXPECT_NE(refusal(text, ValueType::i32).find("outside -2147483648 to 2147483647"), std::string::npos) << text;
  }
  for (const std::string_view text : {"9223372036854775808", "-9223372036854775809", "0x10000000000000000"}) {
    EXPECT_NE(refusal(text, ValueType::i64).find("outside"), std::string::npos) << text;
  }
}

TEST(ParseValue, LetsHexadecimalSpellTheBits) {
  EXPECT_EQ(value_of("0xffffffff", ValueType::i32).i32(), -1);
  EXPECT_EQ(value_of("0xffffffffffffffff", ValueType::i64).i64(), -1);
}

TEST(ParseValue, RefusesWhatIsNoInteger) {
  for (const std::string_view text : {"", "-", "+-3", "--3", "0x", "2.5", "1e3", "7 ", " 7", "seven", "nan", "0b1"}) {
    EXPECT_NE(refusal(text, ValueType::i32).find("not an integer"), std::string::npos) << text;
  }
}

TEST(ParseValue, ReadsFloats) {
  EXPECT_EQ(value_of("2.5", ValueType::f64).f64(), 2.5);
  EXPECT_EQ(value_of("-2.5e-3", ValueType::f64).f64(), -2.5e-3);
  EXPECT_EQ(value_of(".5", ValueType::f32).f32(), 0.5F);
  EXPECT_EQ(value_of("7", ValueType::f32).f32(), 7.0F);
  EXPECT_EQ(value_of("0x1f", ValueType::f64).f64(), 31.0);
  EXPECT_EQ(value_of("0x1.8p3", ValueType::f64).f64(), 12.0);
  EXPECT_EQ(value_of("0.1", ValueType::f32), Value(0.1F));
  EXPECT_EQ(value_of("-0", ValueType::f64), Value(-0.0));
}

TEST(ParseValue, ReadsInfinityAndNan) {
  EXPECT_EQ(value_of("inf", ValueType::f32), Value(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(value_of("-inf", ValueType::f64), Value(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value_of("nan", ValueType::f32).bits(), 0x7fc00000U);
  EXPECT_EQ(value_of("nan", ValueType::f64).bits(), 0x7ff8000000000000U);
  EXPECT_EQ(value_of("-nan:0x1", ValueType::f64).bits(), 0xfff0000000000001U);
}

TEST(ParseValue, RefusesWhatIsNoFloat) {
  for (const std::string_view text : {"", "-", "--1", "1.2.3", "1,5", "abc", "infinity", "NaN", "nan(1)", "nan:0x0",
                                      "nan:0xfffffffffffffffff", "1f", "."}) {
    EXPECT_NE(refusal(text, ValueType::f64).find("not a number"), std::string::npos) << text;
  }
  EXPECT_NE(refusal("1e999", ValueType::f64).find("too large"), std::string::npos);
  EXPECT_NE(refusal("1e39", ValueType::f32).find("too large"), std::string::npos);
}

TEST(ParseValue, RefusesReferences) {
  EXPECT_EQ(refusal("0", ValueType::externref), "\"0\" cannot be an externref: references have no text");
}

TEST(ParseValue, EscapesAndShortensWhatItQuotes) {
  const std::string message = refusal("\x1b" + std::string(1'000, '9'), ValueType::i32);
  EXPECT_LT(message.size(), 200U);
  EXPECT_NE(message.find("\\x1b9"), std::string::npos);
}

TEST(ValueText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(to_text(Value(std::int32_t{-7})), "-7");
  EXPECT_EQ(to_text(Value(std::int64_t{1} << 40)), "1099511627776");
  EXPECT_EQ(to_text(Value(0.1F)), "0.1");
  EXPECT_EQ(to_text(Value(2.0)), "2");
  EXPECT_EQ(to_text(Value(1e300)), "1e+300");
  EXPECT_EQ(to_text(Value(-std::numeric_limits<double>::infinity())), "-inf");
  EXPECT_EQ(to_text(Value::from_bits(ValueType::f32, 0x7fc00000)), "nan");
  EXPECT_EQ(to_text(Value::from_bits(ValueType::f32, 0xffc00000)), "-nan");
  EXPECT_EQ(to_text(Value::from_bits(ValueType::f64, 0x7ff0000000000001)), "nan:0x1");
  EXPECT_EQ(to_text(Value::from_bits(ValueType::funcref, 0)), "null");
}

TEST(ValueText, ReadsBackToTheSameBits) {
  const std::vector<Value> values{Value(std::int32_t{-1}),
                                  Value(std::numeric_limits<std::int64_t>::min()),
                                  Value(0.1F),
                                  Value(-0.0F),
                                  Value(0.1),
                                  Value(std::numeric_limits<double>::denorm_min()),
                                  Value(std::numeric_limits<float>::denorm_min()),
                                  Value(std::numeric_limits<double>::max()),
                                  Value(5e-324),
                                  Value(1.0 / 3),
                                  Value::from_bits(ValueType::f64, 0x7ff4000000000000),
                                  Value::from_bits(ValueType::f64, 0xfff8000000000000),
                                  Value::from_bits(ValueType::f32, 0xff800001)};
  for (const Value value : values) EXPECT_EQ(value_of(to_text(value), value.type()), value) << to_text(value);
}

TEST(SignatureText, IsWrittenAsInItsHeader) {
  using enum ValueType;
  EXPECT_EQ(to_text(Signature{{i32, f64}, {i32}}), "(i32 f64) -> i32");
  EXPECT_EQ(to_text(Signature{{}, {}}), "() -> ()");
  EXPECT_EQ(to_text(Signature{{funcref}, {i64, externref}}), "(funcref) -> (i64 externref)");
}

TEST(Value, IsMadeOfEveryIntegerType) {
  EXPECT_EQ(Value(std::int8_t{-1}), Value(std::int32_t{-1}));
  EXPECT_EQ(Value(std::uint8_t{255}), Value(std::int32_t{255}));
  EXPECT_EQ(Value(std::int16_t{-2}).type(), ValueType::i32);
  EXPECT_EQ(Value(4'000'000'000U).i32(), std::int32_t{-294'967'296}) << "the bits of an unsigned one";
  EXPECT_EQ(Value(5L), Value(std::int64_t{5}));
  EXPECT_EQ(Value(5LL), Value(std::int64_t{5}));
  EXPECT_EQ(Value(5UL).type(), ValueType::i64);
  EXPECT_EQ(Value(std::numeric_limits<unsigned long long>::max()).i64(), -1);
  EXPECT_EQ(Value(true), Value(1)) << "as C compilers pass it";
  static_assert(!std::is_constructible_v<Value, char>);
  static_assert(!std::is_constructible_v<Value, char8_t>);
  static_assert(!std::is_constructible_v<Value, const char*>);
  static_assert(!std::is_constructible_v<Value, long double>);
}

TEST(Value, ConvertsOnlyWhereTheNumberStaysTheSame) {
  EXPECT_EQ(Value(5).converted(ValueType::f64), Value(5.0));
  EXPECT_EQ(Value(-5).converted(ValueType::f32), Value(-5.0F));
  EXPECT_EQ(Value(-5).converted(ValueType::i64), Value(-5LL));
  EXPECT_EQ(Value(4'000'000'000U).converted(ValueType::f64), Value(4e9));
  EXPECT_EQ(Value(4'000'000'000U).converted(ValueType::i64), Value(4'000'000'000LL));
  EXPECT_EQ(Value(7LL).converted(ValueType::i32), Value(7));
  EXPECT_EQ(Value(0.5F).converted(ValueType::f64), Value(0.5));
  EXPECT_EQ(Value(1LL << 53).converted(ValueType::f64), Value(9'007'199'254'740'992.0));
  EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).converted(ValueType::f32), Value(-0x1p63F));

  EXPECT_EQ(Value((1LL << 53) + 1).converted(ValueType::f64), std::nullopt);
  EXPECT_EQ(Value((1 << 24) + 1).converted(ValueType::f32), std::nullopt);
  EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::max()).converted(ValueType::f64), std::nullopt);
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).converted(ValueType::f64), std::nullopt);
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).converted(ValueType::i32), std::nullopt);
  EXPECT_EQ(Value(1LL << 31).converted(ValueType::i32), std::nullopt);
  EXPECT_EQ(Value(2.0).converted(ValueType::i32), std::nullopt) << "a float is no integer";
  EXPECT_EQ(Value(0.5).converted(ValueType::f32), std::nullopt);
  EXPECT_EQ(Value(0).converted(ValueType::funcref), std::nullopt);
}

TEST(Value, IsPrintedAsItsText) {
  std::ostringstream out;
  out << Value(7) << ' ' << Value(2.5) << ' ' << Signature{.params = {ValueType::i32}, .results = {ValueType::f64}};
  EXPECT_EQ(out.str(), "7 2.5 (i32) -> f64");
}

TEST(Sha256, IsReadFromItsSixtyFourDigits) {
  const std::string digits = "ab" + std::string(60, '0') + "01";
  const auto hash = Sha256::from_hex(digits);
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash->hex(), digits);
  std::ostringstream out;
  out << *hash;
  EXPECT_EQ(out.str(), digits);
  for (const std::string& bad : {std::string(), digits.substr(1), digits + "00", "x" + digits.substr(1)}) {
    EXPECT_EQ(Sha256::from_hex(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace petri
