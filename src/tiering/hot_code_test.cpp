#include "tiering/hot_code.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/fake_engine.h"

namespace petri {
namespace {

class HotCodeTest : public testing::Test {
 protected:
  HotCodeTest() { engine_.add("a", {.functions = {{.name = "f"}}}); }
  ArtifactPtr artifact() { return *engine_.prepare_wat("a", 1 << 20); }
  static CodePtr wait_for(const HotCode& hot) {
    while (hot.compiled() == nullptr) std::this_thread::yield();
    return hot.compiled();
  }

  ManualClock clock_;
  FakeEngine engine_;
  CompiledModules modules_{10};
  Promoter promoter_{{.fuel = 100, .fuel_per_byte = 0, .time_max = std::chrono::seconds(1)}, clock_, modules_};
};

TEST_F(HotCodeTest, IsCompiledOnceEnoughFuelWasBurned) {  // X10
  const ArtifactPtr kept = artifact();
  HotCode hot(promoter_, kept, {}, 64);
  hot.add_burned(99);
  EXPECT_EQ(promoter_.promotions(), 0U);
  EXPECT_EQ(hot.compiled(), nullptr);
  hot.add_burned(1);
  EXPECT_EQ(wait_for(hot)->tier(), Tier::compiled);
}

TEST_F(HotCodeTest, IsCompiledOnceEnoughInstancesLive) {
  const ArtifactPtr kept = artifact();
  HotCode hot(promoter_, kept, {}, 3);
  hot.add_instance();
  hot.add_instance();
  hot.remove_instance();
  hot.add_instance();
  EXPECT_EQ(hot.compiled(), nullptr);
  hot.add_instance();
  EXPECT_EQ(wait_for(hot)->tier(), Tier::compiled);
}

TEST_F(HotCodeTest, IsNotCompiledForNobody) {
  HotCode hot(promoter_, artifact(), {}, 1);
  hot.add_instance();
  EXPECT_EQ(hot.compiled(), nullptr);
}

}  // namespace
}  // namespace petri
