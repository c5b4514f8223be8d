#include "bench/small_module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "petri/artifact.h"

namespace petri::bench {
namespace {

TEST(SmallModule, HasAboutAHundredBytesAndNoTwoAreAlike) {
  auto modules = SmallModule::create();
  ASSERT_TRUE(modules);
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t number : {0ULL, 1ULL, 2ULL, 999'999ULL, 1'000'000ULL}) {
    const auto wasm = modules->numbered(number);
    EXPECT_TRUE(Artifact::from_wasm(wasm, 1'024)) << number;
    EXPECT_GE(wasm.size(), 80U);
    EXPECT_LE(wasm.size(), 120U);
    EXPECT_TRUE(seen.emplace(wasm.begin(), wasm.end()).second) << number;
  }
}

TEST(SmallModule, IsTheSameAsText) {
  auto modules = SmallModule::create();
  ASSERT_TRUE(modules);
  for (std::uint64_t number : {0ULL, 1ULL, 123'456'789ULL}) {
    const auto from_text = Artifact::from_wat(SmallModule::text(number), 1'024);
    ASSERT_TRUE(from_text) << number;
    EXPECT_TRUE(std::ranges::equal((*from_text)->bytes(), modules->numbered(number))) << number;
  }
}

}  // namespace
}  // namespace petri::bench
