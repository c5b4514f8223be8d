#include "base/hex.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Hex, WritesLowerCaseDigits) {
  const std::vector<std::uint8_t> bytes{0x00, 0x0f, 0xa5, 0xff};
  EXPECT_EQ(to_hex(bytes), "000fa5ff");
  EXPECT_EQ(to_hex({}), "");
}

TEST(Hex, ReadsBothCases) {
  EXPECT_EQ(from_hex("00aAfF"), (std::vector<std::uint8_t>{0x00, 0xaa, 0xff}));
  EXPECT_EQ(from_hex(""), std::vector<std::uint8_t>{});
}

TEST(Hex, RefusesWhatIsNoHex) {
  for (const std::string_view text : {"0", "0g", "g0", " 0", "0x", "é"})
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

}  // namespace
}  // namespace petri
