#include "sandbox/reload/way_back.h"

#include <gmock/gmock.h>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

class WayBackTest : public CodeFixture {
 protected:
  WayBackTest() {
    run("one");
    run("two");
    set_running();
    policy_.trial = {.calls = 100, .time = std::chrono::seconds(60)};
  }
  void reload(const std::string& module, int version) {
    ASSERT_TRUE(Reloads(parts()).reload(module, Source::wat(counter(version)), {}));
  }
};

TEST_F(WayBackTest, OfAModuleByItselfIsItsOwn) {
  reload("one", 2);
  reload("two", 2);
  EXPECT_THAT(switched_together(modules_, "one"), ElementsAre("one"));
  const auto snapshots = modules_.last_switch_of("one");
  ASSERT_TRUE(snapshots);
  const auto changes = changes_back_to(modules_, *snapshots);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 1U);
  EXPECT_EQ((*changes)[0].to_number, 1U);
  EXPECT_TRUE((*changes)[0].replaces_state());
  EXPECT_EQ((*changes)[0].snapshot(), snapshots->at("one"));
}

TEST_F(WayBackTest, OfAModuleThatWasNeverSwitchedIsNone) {
  EXPECT_THAT(switched_together(modules_, "one"), ElementsAre("one"));
  EXPECT_FALSE(modules_.last_switch_of("one"));
}

}  // namespace
}  // namespace petri
