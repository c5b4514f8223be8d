#include "evaluation/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace petri {
namespace {

std::string encoded(std::string_view text) {
  std::string out(base64_size(text.size()), '\0');
  char* const end = write_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, out.data());
  EXPECT_EQ(end, out.data() + out.size());
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  const auto bytes = read_base64(text);
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
    EXPECT_FALSE(read_base64(text)) << text;
  }
}

}  // namespace
}  // namespace petri
