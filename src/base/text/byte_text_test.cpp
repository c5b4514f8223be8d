#include "base/text/byte_text.h"

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

std::string encoded(std::string_view text) {
  std::string out;
  append_base64(out, as_bytes(text));
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  const auto bytes = from_base64(text);
  if (!bytes) return std::nullopt;
  return std::string(bytes->begin(), bytes->end());
}

// The examples of RFC 4648.
TEST(Base64, IsAsTheStandardHasIt) {
  const std::pair<std::string_view, std::string_view> examples[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, code] : examples) {
    EXPECT_EQ(encoded(plain), code);
    EXPECT_EQ(decoded(code), plain);
  }
}

TEST(Base64, CarriesAllBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(decoded(encoded(all)), all);
}

TEST(Base64, ReadsNothingButWhatItWrites) {
  for (const std::string_view text :
       {"Zg", "Zg=", "Zg===", "Z===", "Zh==", "Zm9=", "Zm 9", "Zm9v\n", "Zm9v=", "=", "====", "Zg==Zg=="}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace petri
