#include "bench/search/genome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "petri/artifact.h"

namespace petri::bench {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kModuleBytesMax = 16 << 20;

TEST(Genome, ReadsBackAsItWasWritten) {
  Genome genome;
  genome.set(Dimension::locals, 77);
  genome.set(Dimension::second, 3);
  const auto again = Genome::from_text(genome.text());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, genome);
  EXPECT_THAT(Genome::from_text("locals=many").error().message, HasSubstr("\"locals=many\""));
  EXPECT_FALSE(Genome::from_text("wheels=4"));
}

TEST(Genome, KeepsEveryNumberWithinTheBounds) {
  Genome genome;
  genome.set(Dimension::nesting, 1'000'000);
  EXPECT_LT(genome.at(Dimension::nesting), bound("nesting"));
}

// A refused module is refused for being too dense, and never for being no module.
TEST(Genome, MakesModulesThatAreValid) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    Genome genome;
    for (int changes = 0; changes < 5; ++changes) {
      const auto dimension = static_cast<Dimension>(random() % kDimensions);
      const DimensionInfo& info = dimensions()[static_cast<std::size_t>(dimension)];
      genome.set(dimension, info.least + static_cast<std::uint32_t>(random() % (info.most - info.least + 1)));
    }
    const auto artifact =
        Artifact::from_wasm(genome.module({.bytes = 8 << 10, .body_bytes = 8 << 10, .dilution = 0}), kModuleBytesMax);
    if (!artifact) {
      EXPECT_THAT(artifact.error().message, HasSubstr("exceeds the bound")) << genome.text();
    }
  }
}

TEST(Genome, MakesEverySnippetValid) {
  for (std::uint32_t snippet = 0; snippet < snippet_names().size(); ++snippet) {
    Genome genome;
    genome.set(Dimension::values, 3);
    genome.set(Dimension::nesting, 4);
    genome.set(Dimension::imports, 2);
    genome.set(Dimension::first, snippet);
    const auto artifact =
        Artifact::from_wasm(genome.module({.bytes = 400, .body_bytes = 400, .dilution = 0}), kModuleBytesMax);
    EXPECT_TRUE(artifact) << snippet_names()[snippet] << ": " << artifact.error().message;
  }
}

TEST(Genome, MakesEveryFaultARefusal) {
  for (std::uint32_t fault = 1; fault < kFaults; ++fault) {
    EXPECT_FALSE(Artifact::from_wasm(
        Genome().module({.bytes = 400, .body_bytes = 400, .dilution = 0}, static_cast<Fault>(fault)), kModuleBytesMax));
  }
}

}  // namespace
}  // namespace petri::bench
