#include <gtest/gtest.h>

#include "base/json/cbor.h"
#include "base/text/byte_text.h"
#include "petri/state.h"
#include "state/state_fixture.h"

namespace petri {
namespace {

StateDocument small_document() {
  StateDocument document(
      schema_of({{.name = "n", .type = StateType::i32}, {.name = "t", .type = StateType::text, .count = 4}}));
  EXPECT_TRUE(document.set("n", -500));
  EXPECT_TRUE(document.set("t", "ab"));
  return document;
}

TEST(StateCbor, HasTheBytesThatTheStandardGivesIt) {
  // {"state": 1, "fields": [{"name": "n", "type": "i32", "count": 1, "value": -500}, {... "count": 4, "value": "ab"}]}
  EXPECT_EQ(to_hex(to_cbor(small_document())),
            "a2"
            "657374617465"
            "01"
            "666669656c6473"
            "82"
            "a4"
            "646e616d65"
            "616e"
            "6474797065"
            "63693332"
            "65636f756e74"
            "01"
            "6576616c7565"
            "3901f3"
            "a4"
            "646e616d65"
            "6174"
            "6474797065"
            "6474657874"
            "65636f756e74"
            "04"
            "6576616c7565"
            "626162");
}

TEST(StateCbor, BringsBackEqualDocuments) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const StateDocument document = maker.document(schema_of(maker.fields()));
    const auto back = state_from_cbor(to_cbor(document));
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(*back, document);
  }
}

TEST(StateCbor, IsRefusedWhereverItIsCutShort) {
  const auto cbor = to_cbor(small_document());
  for (std::size_t size = 0; size < cbor.size(); ++size) {
    const auto back = state_from_cbor(std::span(cbor).first(size));
    ASSERT_FALSE(back);
    ASSERT_EQ(back.error().code, ErrorCode::parse_failed);
  }
}

TEST(StateCbor, HasOneFormOnly) {
  auto cbor = to_cbor(small_document());
  cbor.push_back(0);
  EXPECT_EQ(state_from_cbor(cbor).error().code, ErrorCode::parse_failed);

  // The count of "n" in two bytes where one would do.
  auto hex = to_hex(to_cbor(small_document()));
  const std::size_t place = hex.find("65636f756e7401") + 12;
  hex.replace(place, 2, "1801");
  EXPECT_EQ(state_from_cbor(*from_hex(hex)).error().code, ErrorCode::parse_failed);
}

TEST(StateCbor, OfANewerFormatIsRefusedByName) {
  auto cbor = to_cbor(small_document());
  ASSERT_EQ(cbor[7], 1);
  cbor[7] = 2;
  EXPECT_EQ(state_from_cbor(cbor).error().message, "the state document has format 2 and this petri reads format 1");
}

TEST(StateCbor, MayNotAskForMoreThanTheLimit) {
  std::string out;
  CborWriter writer(out);
  writer.head(CborKind::map, 2);
  writer.text("state");
  writer.head(CborKind::unsigned_integer, 1);
  writer.text("fields");
  writer.head(CborKind::array, 1);
  writer.head(CborKind::map, 4);
  for (const char* word : {"name", "t", "type", "text", "count"}) writer.text(word);
  writer.head(CborKind::unsigned_integer, 0xffff'ffff);
  writer.text("value");
  writer.text("a");
  EXPECT_EQ(state_from_cbor(as_bytes(out)).error().code, ErrorCode::limit_exceeded);
}

TEST(StateCbor, WithChangedBitsIsAnotherDocumentOrRefused) {
  const StateDocument document = small_document();
  const auto cbor = to_cbor(document);
  for (std::size_t bit = 0; bit < cbor.size() * 8; ++bit) {
    auto changed = cbor;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1 << bit % 8));
    const auto back = state_from_cbor(changed);
    if (!back) continue;
    ASSERT_EQ(to_cbor(*back), changed);
    ASSERT_FALSE(*back == document);
  }
}

}  // namespace
}  // namespace petri
