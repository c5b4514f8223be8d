#include "state/state_number.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "state/state_fixture.h"

namespace petri {
namespace {

constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53;

// The number that is read back once it was stored as this type; nullopt when it was refused.
std::optional<StateNumber> as(StateType type, StateNumber number) {
  std::array<std::uint8_t, 8> bytes{};
  if (!store_number(type, number, bytes.data())) return std::nullopt;
  return load_number(type, bytes.data());
}

TEST(StateNumber, FitsATypeThatHoldsItExactly) {  // T08
  EXPECT_EQ(as(StateType::f64, std::int64_t{3}), StateNumber(3.0));
  EXPECT_EQ(as(StateType::i64, 3.0), StateNumber(std::int64_t{3}));
  EXPECT_EQ(as(StateType::f64, kTwoTo53), StateNumber(0x1p53));
  EXPECT_EQ(as(StateType::u64, std::int64_t{5}), StateNumber(std::uint64_t{5}));
  EXPECT_EQ(as(StateType::i8, std::int64_t{-128}), StateNumber(std::int64_t{-128}));
  EXPECT_EQ(as(StateType::u64, 0x1p63), StateNumber(std::uint64_t{1} << 63));
  EXPECT_EQ(as(StateType::i64, -0x1p63), StateNumber(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(as(StateType::f32, 0.5), StateNumber(0.5F));
  EXPECT_EQ(as(StateType::boolean, std::int64_t{1}), StateNumber(std::uint64_t{1}));
}

TEST(StateNumber, IsRefusedByATypeThatWouldChangeIt) {  // T08
  EXPECT_FALSE(as(StateType::f64, kTwoTo53 + 1));
  EXPECT_FALSE(as(StateType::f64, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(as(StateType::f32, std::int64_t{(1 << 24) + 1}));
  EXPECT_FALSE(as(StateType::i32, std::int64_t{1} << 40));
  EXPECT_FALSE(as(StateType::u32, std::int64_t{-1}));
  EXPECT_FALSE(as(StateType::i64, 0x1p63));
  EXPECT_FALSE(as(StateType::u64, 0x1p64));
  EXPECT_FALSE(as(StateType::i32, 2.5));
  EXPECT_FALSE(as(StateType::i32, std::nan("")));
  EXPECT_FALSE(as(StateType::i32, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(as(StateType::f32, 0.1));
  EXPECT_FALSE(as(StateType::f32, 1e300));
  EXPECT_FALSE(as(StateType::f32, 1e-300));
  EXPECT_FALSE(as(StateType::boolean, std::int64_t{2}));
  EXPECT_FALSE(as(StateType::boolean, 0.5));
}

TEST(StateNumber, KeepsTheSignOfZeroByRefusingToLoseIt) {
  EXPECT_FALSE(as(StateType::i32, -0.0));
  const auto narrow = as(StateType::f32, -0.0);
  ASSERT_TRUE(narrow);
  EXPECT_TRUE(std::signbit(std::get<float>(*narrow)));
}

TEST(StateNumber, KeepsThePayloadOfNans) {
  for (const std::uint32_t bits : {0x7fc0'0000U, 0x7f80'0001U, 0xffbf'ffffU, 0xffc1'2345U}) {
    const auto wide = as(StateType::f64, std::bit_cast<float>(bits));
    ASSERT_TRUE(wide);
    EXPECT_TRUE(std::isnan(std::get<double>(*wide)));
    const auto back = as(StateType::f32, *wide);
    ASSERT_TRUE(back);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::get<float>(*back)), bits);
  }
  EXPECT_FALSE(as(StateType::f32, std::bit_cast<double>(0x7ff0'0000'0000'0001ULL)));
}

TEST(StateNumber, ComesBackTheSameFromEveryTypeThatTookIt) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const StateType from = maker.type();
    const StateType to = maker.type();
    if (is_block(from) || is_block(to)) continue;
    const StateDocument document = maker.document(schema_of({{.name = "n", .type = from}}));
    std::array<std::uint8_t, 8> there{};
    std::array<std::uint8_t, 8> back{};
    const bool took = store_number(to, load_number(from, document.bytes().data()), there.data());
    ASSERT_TRUE(took || survival(from, to) == Survival::by_value);
    if (!took) continue;
    ASSERT_TRUE(store_number(from, load_number(to, there.data()), back.data()));
    ASSERT_EQ(std::memcmp(back.data(), document.bytes().data(), document.bytes().size()), 0);
  }
}

}  // namespace
}  // namespace petri
