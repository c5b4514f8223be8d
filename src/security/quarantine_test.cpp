#include "security/quarantine.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr Clock::TimePoint kQuarantineStart{};

ArtifactId artifact(std::uint32_t number) {
  ArtifactId id;
  for (int i = 0; i < 4; ++i) id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

// Five limits in a minute, ten minutes: the defaults.
class QuarantineTest : public testing::Test {
 protected:
  void put_in(const ArtifactId& id, Clock::TimePoint when) {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(quarantine_.limit_met(id, "fuel_max", when));
    EXPECT_TRUE(quarantine_.limit_met(id, "execution_time_max", when));
  }
  Quarantine quarantine_{QuarantineOptions{}};
};

TEST_F(QuarantineTest, StartsWithTheLastOfSoManyLimitsAndEnds) {  // P12
  put_in(artifact(1), kQuarantineStart);
  const auto found = quarantine_.find(artifact(1), kQuarantineStart + 10min - 1ns);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, "execution_time_max");
  EXPECT_EQ(found->until, kQuarantineStart + 10min);
  EXPECT_EQ(quarantine_.size(kQuarantineStart), 1U);
  EXPECT_FALSE(quarantine_.find(artifact(1), kQuarantineStart + 10min));
  EXPECT_EQ(quarantine_.size(kQuarantineStart + 10min), 0U);
}

TEST_F(QuarantineTest, IsListedAndLifted) {
  put_in(artifact(1), kQuarantineStart);
  const auto all = quarantine_.all(kQuarantineStart);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().artifact, artifact(1));
  EXPECT_EQ(all.front().sandbox, "");
  EXPECT_EQ(all.front().entry.cause, "execution_time_max");
  EXPECT_FALSE(quarantine_.lift(artifact(2), kQuarantineStart));
  EXPECT_TRUE(quarantine_.lift(artifact(1), kQuarantineStart));
  EXPECT_FALSE(quarantine_.find(artifact(1), kQuarantineStart));
  EXPECT_TRUE(quarantine_.all(kQuarantineStart).empty());
  EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart)) << "limits from before count no more";
}

// A flood of artifacts that came later takes the place of what time has made void, and of nothing else.
TEST_F(QuarantineTest, OutlastsAFloodOfArtifacts) {
  put_in(artifact(1), kQuarantineStart);
  const auto later = kQuarantineStart + 5min;  // more than the window, less than the sentence
  for (std::uint32_t number = 2; number < Quarantine::kArtifactsMax + 1'000; ++number) {
    EXPECT_FALSE(quarantine_.limit_met(artifact(number), "fuel_max", later));
  }
  EXPECT_TRUE(quarantine_.find(artifact(1), later));
  EXPECT_EQ(quarantine_.size(later), 1U);
}

// C21
TEST_F(QuarantineTest, IsOfOneArtifactAlone) {
  put_in(artifact(1), kQuarantineStart);
  EXPECT_FALSE(quarantine_.find(artifact(2), kQuarantineStart));
}

TEST_F(QuarantineTest, OfOneSandboxHoldsNowhereElse) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart, "a"));
  EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart, "b")) << "counted for itself";
  EXPECT_TRUE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart, "a"));
  EXPECT_TRUE(quarantine_.find(artifact(1), kQuarantineStart, "a"));
  EXPECT_FALSE(quarantine_.find(artifact(1), kQuarantineStart, "b"));
  EXPECT_FALSE(quarantine_.find(artifact(1), kQuarantineStart));
  put_in(artifact(1), kQuarantineStart);
  EXPECT_TRUE(quarantine_.find(artifact(1), kQuarantineStart, "b"));
}

TEST_F(QuarantineTest, DoesNotCountWhatIsOlderThanItsWindow) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart));
  EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart + 60s + 1ns));
  EXPECT_FALSE(quarantine_.find(artifact(1), kQuarantineStart + 61s));
}

TEST_F(QuarantineTest, IsNotMadeLongerByThoseThatStillLive) {
  put_in(artifact(1), kQuarantineStart);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(quarantine_.limit_met(artifact(1), "fuel_max", kQuarantineStart + 1min));
  EXPECT_EQ(quarantine_.find(artifact(1), kQuarantineStart + 1min)->until, kQuarantineStart + 10min);
}

TEST_F(QuarantineTest, KeepsThoseInItWhenItMustForget) {
  put_in(artifact(0), kQuarantineStart);
  for (std::uint32_t i = 1; i < 3 * Quarantine::kArtifactsMax; ++i) {
    EXPECT_FALSE(quarantine_.limit_met(artifact(i), "fuel_max", kQuarantineStart + std::chrono::microseconds(i)));
  }
  EXPECT_TRUE(quarantine_.find(artifact(0), kQuarantineStart + 1s));
}

TEST(QuarantineOff, RefusesNothing) {
  Quarantine quarantine({.limits_max = 0});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(quarantine.limit_met(artifact(1), "fuel_max", kQuarantineStart));
  EXPECT_FALSE(quarantine.find(artifact(1), kQuarantineStart));
}

}  // namespace
}  // namespace petri
