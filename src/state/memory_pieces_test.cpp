#include "state/memory_pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace petri {
namespace {

std::set<std::uint64_t> bytes_of(const MemoryPieces& pieces) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t i = 0; i < pieces.count; ++i) {
    for (std::uint64_t n = 0; n < pieces.size; ++n) bytes.insert(pieces.address + i * pieces.stride + n);
  }
  return bytes;
}

bool share_a_byte(const MemoryPieces& a, const MemoryPieces& b) {
  const auto bytes = bytes_of(a);
  for (const std::uint64_t byte : bytes_of(b)) {
    if (bytes.contains(byte)) return true;
  }
  return false;
}

TEST(MemoryPieces, OfOneArrayOfStructsDoNotTouch) {
  const MemoryPieces x{.address = 100, .size = 4, .stride = 16, .count = 10};
  EXPECT_FALSE(touch(x, {.address = 104, .size = 8, .stride = 16, .count = 10}));
  EXPECT_TRUE(touch(x, {.address = 103, .size = 8, .stride = 16, .count = 10}));
  EXPECT_FALSE(touch(x, {.address = 104, .size = 4, .stride = 4, .count = 3}));
  EXPECT_TRUE(touch(x, {.address = 104, .size = 4, .stride = 4, .count = 4}));
}

TEST(MemoryPieces, AtTheEndOfTheAddressSpaceDoNotWrapAround) {
  const MemoryPieces huge{.address = 0xffff'ffff, .size = 8, .stride = 0xffff'ffff, .count = 0xffff'ffff};
  EXPECT_FALSE(touch(huge, {.address = 0, .size = 8, .stride = 8, .count = 1}));
  EXPECT_TRUE(touch(huge, huge));
}

TEST(MemoryPieces, TouchExactlyWhenTheyShareAByte) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    const auto pieces = [&] {
      const std::uint64_t size = 1 + random() % 4;
      return MemoryPieces{
          .address = random() % 40, .size = size, .stride = size + random() % 5, .count = 1 + random() % 5};
    };
    const MemoryPieces a = pieces();
    MemoryPieces b = pieces();
    if (!a.is_solid() && !b.is_solid()) b.stride = a.stride;
    if (b.stride < b.size) continue;
    ASSERT_EQ(touch(a, b), share_a_byte(a, b)) << a.address << ' ' << b.address;
    ASSERT_EQ(touch(a, b), touch(b, a));
  }
}

}  // namespace
}  // namespace petri
