#include "wasm_builder/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace petri {
namespace {

using testing::ElementsAre;

WasmBytes unsigned_bytes(std::uint64_t value) {
  WasmBytes bytes;
  append_unsigned(bytes, value);
  return bytes;
}

WasmBytes signed_bytes(std::int64_t value) {
  WasmBytes bytes;
  append_signed(bytes, value);
  return bytes;
}

WasmBytes constant_bytes(Value value) {
  WasmBytes bytes;
  append_constant(bytes, value);
  return bytes;
}

TEST(UnsignedNumber, HasTheShortestForm) {
  EXPECT_THAT(unsigned_bytes(0), ElementsAre(0x00));
  EXPECT_THAT(unsigned_bytes(0x7f), ElementsAre(0x7f));
  EXPECT_THAT(unsigned_bytes(0x80), ElementsAre(0x80, 0x01));
  EXPECT_THAT(unsigned_bytes(0x3fff), ElementsAre(0xff, 0x7f));
  EXPECT_THAT(unsigned_bytes(0x4000), ElementsAre(0x80, 0x80, 0x01));
  EXPECT_THAT(unsigned_bytes(624'485), ElementsAre(0xe5, 0x8e, 0x26));
  EXPECT_THAT(unsigned_bytes(0xffff'ffff), ElementsAre(0xff, 0xff, 0xff, 0xff, 0x0f));
}

TEST(UnsignedNumber, IsAsLongAsForetold) {
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      EXPECT_EQ(unsigned_bytes(value).size(), unsigned_size(value)) << value;
    }
  }
}

TEST(SignedNumber, HasTheShortestForm) {
  EXPECT_THAT(signed_bytes(0), ElementsAre(0x00));
  EXPECT_THAT(signed_bytes(-1), ElementsAre(0x7f));
  EXPECT_THAT(signed_bytes(63), ElementsAre(0x3f));
  EXPECT_THAT(signed_bytes(64), ElementsAre(0xc0, 0x00));
  EXPECT_THAT(signed_bytes(-64), ElementsAre(0x40));
  EXPECT_THAT(signed_bytes(-65), ElementsAre(0xbf, 0x7f));
  EXPECT_THAT(signed_bytes(8191), ElementsAre(0xff, 0x3f));
  EXPECT_THAT(signed_bytes(8192), ElementsAre(0x80, 0xc0, 0x00));
  EXPECT_THAT(signed_bytes(-123'456), ElementsAre(0xc0, 0xbb, 0x78));
}

TEST(Constant, ReachesTheEndsOfTheIntegers) {
  EXPECT_THAT(constant_bytes(std::numeric_limits<std::int32_t>::max()),
              ElementsAre(0x41, 0xff, 0xff, 0xff, 0xff, 0x07));
  EXPECT_THAT(constant_bytes(std::numeric_limits<std::int32_t>::min()),
              ElementsAre(0x41, 0x80, 0x80, 0x80, 0x80, 0x78));
  EXPECT_THAT(constant_bytes(std::numeric_limits<std::int64_t>::max()),
              ElementsAre(0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00));
  EXPECT_THAT(constant_bytes(std::numeric_limits<std::int64_t>::min()),
              ElementsAre(0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f));
}

TEST(Constant, KeepsTheBitsOfFloats) {
  EXPECT_THAT(constant_bytes(1.0F), ElementsAre(0x43, 0x00, 0x00, 0x80, 0x3f));
  EXPECT_THAT(constant_bytes(-2.0), ElementsAre(0x44, 0, 0, 0, 0, 0, 0, 0x00, 0xc0));
  EXPECT_THAT(constant_bytes(-0.0), ElementsAre(0x44, 0, 0, 0, 0, 0, 0, 0x00, 0x80));
  EXPECT_THAT(constant_bytes(std::bit_cast<float>(0x7fa0'1234U)), ElementsAre(0x43, 0x34, 0x12, 0xa0, 0x7f));
  EXPECT_THAT(constant_bytes(std::bit_cast<double>(0xfff0'0000'0000'0001U)),
              ElementsAre(0x44, 0x01, 0, 0, 0, 0, 0, 0xf0, 0xff));
}

TEST(Types, AreCountedAndCoded) {
  WasmBytes bytes;
  using enum ValueType;
  append_types(bytes, std::vector{i32, i64, f32, f64, funcref, externref});
  EXPECT_THAT(bytes, ElementsAre(6, 0x7f, 0x7e, 0x7d, 0x7c, 0x70, 0x6f));
}

}  // namespace
}  // namespace petri
