#include "tiering/promoter.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/fake_engine.h"

namespace petri {
namespace {

class PromoterTest : public testing::Test {
 protected:
  PromoterTest() {
    for (const char* name : {"a", "b"}) engine_.add(name, {.functions = {{.name = "f"}}});
  }
  // The thread does one after the other: once a later one is ready, the earlier ones are settled.
  CodePtr wait_for(const PromotionPtr& promotion) {
    while (promotion->code() == nullptr && promoter_.given_up() == 0) std::this_thread::yield();
    return promotion->code();
  }

  ManualClock clock_;
  FakeEngine engine_;
  CompiledModules modules_{10};
  Promoter promoter_{{.fuel = 100, .fuel_per_byte = 10, .time_max = std::chrono::seconds(1)}, clock_, modules_};
};

TEST_F(PromoterTest, AsksForFuelAndMoreForLargerModules) {
  EXPECT_EQ(promoter_.threshold({.code_bytes = 7}), 170U);
  EXPECT_LT(Promoter::worth_reporting(160), 160U);
}

TEST_F(PromoterTest, CompilesInTheBackgroundAndKeepsTheModule) {
  const ArtifactPtr artifact = engine_.artifact("a");
  const CodePtr code = wait_for(promoter_.promote(artifact, {}));
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->tier(), Tier::compiled);
  ASSERT_TRUE(modules_.find(artifact->id()));
  EXPECT_EQ(modules_.find(artifact->id())->code, code);
  EXPECT_EQ(modules_.size(), 1U);
}

TEST_F(PromoterTest, GivesUpWhatTheCompilerCannotTake) {
  engine_.add("c", {.functions = {{.name = "f"}}, .compiles = false});
  const ArtifactPtr artifact = engine_.artifact("c");
  EXPECT_EQ(wait_for(promoter_.promote(artifact, {})), nullptr);
  EXPECT_EQ(promoter_.given_up(), 1U);
  EXPECT_EQ(modules_.size(), 0U);
}

TEST_F(PromoterTest, RemembersWhatWasBurned) {
  const ArtifactId a = engine_.artifact("a")->id();
  EXPECT_EQ(promoter_.burned(a), 0U);
  promoter_.add_burned(a, 5);
  promoter_.add_burned(a, 7);
  EXPECT_EQ(promoter_.burned(a), 12U);
  EXPECT_EQ(promoter_.burned(engine_.artifact("b")->id()), 0U);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  promoter_.add_burned(a, kMost - 13);
  promoter_.add_burned(a, 2);
  EXPECT_EQ(promoter_.burned(a), kMost) << "it never begins at zero again";
}

}  // namespace
}  // namespace petri
