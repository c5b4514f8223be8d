#include "engine/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/byte_text.h"

namespace petri {
namespace {

std::string hex_of(std::string_view text) {
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).hex();
}

// The examples of FIPS 180.
TEST(Sha256, IsAsTheStandardHasIt) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfPiecesIsThatOfTheWhole) {
  const std::string text(1'000, 'a');
  for (const std::size_t piece : {1U, 63U, 64U, 65U, 999U, 1'000U}) {
    Sha256Hasher hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash.digest().hex(), hex_of(text)) << piece;
    hash.add("b");
    EXPECT_EQ(hash.digest().hex(), hex_of(text + "b")) << "a digest ends nothing";
  }
  EXPECT_EQ(Sha256Hasher().digest().hex(), hex_of(""));
}

}  // namespace
}  // namespace petri
