#include "tiering/hot_code.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/fake_engine.h"

namespace petri {
namespace {

class HotCodeTest : public testing::Test {
 protected:
  HotCodeTest() { engine_.add("a", {.functions = {{.name = "f"}}}); }
  ArtifactPtr artifact() { return *engine_.prepare_wat("a", 1 << 20); }
  static bool is_running(const std::string& thread) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::ifstream(task.path() / "comm") >> name;
      if (name == thread) return true;
    }
    return false;
  }
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

// A call that finds its code to be hot starts no thread: the stack for one may have to be waited for.
TEST_F(HotCodeTest, HasTheThreadThatCompilesBeforeAnythingIsHot) {
  promoter_.prepare();
  while (!is_running("petri-promoter")) std::this_thread::yield();  // it names itself
  EXPECT_EQ(promoter_.promotions(), 0U);
}

TEST_F(HotCodeTest, IsNotCompiledForNobody) {
  HotCode hot(promoter_, artifact(), {}, 1);
  hot.add_instance();
  EXPECT_EQ(hot.compiled(), nullptr);
}

}  // namespace
}  // namespace petri
