#include "sandbox/code/refusals.h"

#include <gtest/gtest.h>

#include "sandbox/code/artifact_store.h"

namespace petri {
namespace {

ArtifactId number(std::uint32_t value) {
  ArtifactId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return id;
}

TEST(Refusals, AreKeptByFormAndBytes) {
  Refusals refusals;
  refusals.add({Refusals::Form::wasm, number(1)}, {.code = ErrorCode::rejected, .message = "bad", .details = {}});
  EXPECT_EQ(refusals.find({Refusals::Form::wasm, number(1)})->message, "bad");
  EXPECT_EQ(refusals.find({Refusals::Form::wat, number(1)}), nullptr);
  EXPECT_EQ(refusals.find({Refusals::Form::wasm, number(2)}), nullptr);
}

TEST(Refusals, ForgetTheOldest) {
  Refusals refusals;
  for (std::uint32_t i = 0; i < 3 * Refusals::kRefusalsMax; ++i) refusals.add({Refusals::Form::wasm, number(i)}, {});
  EXPECT_EQ(refusals.size(), Refusals::kRefusalsMax);
  EXPECT_EQ(refusals.find({Refusals::Form::wasm, number(0)}), nullptr);
  EXPECT_NE(refusals.find({Refusals::Form::wasm, number(3 * Refusals::kRefusalsMax - 1)}), nullptr);
}

TEST(Refusals, AreNotOfWhatAnotherLimitAllows) {
  EXPECT_TRUE(Refusals::is_worth_keeping({.code = ErrorCode::parse_failed, .message = {}, .details = {}}));
  EXPECT_FALSE(Refusals::is_worth_keeping({.code = ErrorCode::module_too_large, .message = {}, .details = {}}));
}

TEST(ArtifactStore, RefusesTheSameModuleWithTheSameWords) {  // hostile C11
  ArtifactStore store;
  const std::vector<std::uint8_t> bad{0, 'a', 's', 'm', 9, 0, 0, 0};
  const auto first = store.from_wasm(bad, 1'000);
  const auto again = store.from_wasm(bad, 1'000);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error(), again.error());
  const auto text = store.from_wat("(module", 1'000), text_again = store.from_wat("(module", 1'000);
  EXPECT_EQ(text.error().code, ErrorCode::parse_failed);
  EXPECT_EQ(text.error(), text_again.error());
  EXPECT_EQ(store.refused(), 2U);
}

TEST(ArtifactStore, AsksTheLimitBeforeItsMemory) {
  ArtifactStore store;
  const std::string large = "(module" + std::string(100, ' ') + ")";
  EXPECT_EQ(store.from_wat(large, 4).error().code, ErrorCode::module_too_large);
  EXPECT_EQ(store.refused(), 0U);
  EXPECT_TRUE(store.from_wat(large, 1'000));
}

}  // namespace
}  // namespace petri
