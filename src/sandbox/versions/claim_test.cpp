#include "sandbox/versions/claim.h"

#include <gmock/gmock.h>

#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

class ClaimTest : public PartsFixture {
 protected:
  ClaimTest() { add_module("one"), add_module("two"); }
  std::string take(std::vector<std::string> names) {
    const auto claim = Claim::take(standing_, modules_, std::move(names));
    return claim ? "" : fmt::format("{}: {}", name_of(claim.error().code), claim.error().message);
  }
};

TEST_F(ClaimTest, MakesTheSandboxReloadingUntilTheLastIsReleased) {
  set_running();
  auto one = Claim::take(standing_, modules_, {"one"});
  auto two = Claim::take(standing_, modules_, {"two"});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(standing_.status(), SandboxStatus::reloading);
  one->release();
  EXPECT_EQ(standing_.status(), SandboxStatus::reloading);
  {
    const Claim moved = *std::move(two);
  }
  EXPECT_EQ(standing_.status(), SandboxStatus::running);
}

TEST_F(ClaimTest, IsReleasedOnce) {
  set_running();
  auto first = Claim::take(standing_, modules_, {"one"});
  ASSERT_TRUE(first);
  first->release();
  const auto second = Claim::take(standing_, modules_, {"one"});
  ASSERT_TRUE(second);
  first->release();
  EXPECT_EQ(take({"one"}), "busy: the module one is being changed already: try again later");
}

TEST_F(ClaimTest, IsRefusedWhereNothingCanBeChanged) {
  EXPECT_EQ(take({"one"}), "rejected: the sandbox a is initializing");
  set_running();
  EXPECT_EQ(take({"three"}), "not_found: the sandbox a has no module three");
  EXPECT_EQ(standing_.status(), SandboxStatus::running);
  for (const LifecycleEvent event : {LifecycleEvent::end, LifecycleEvent::ended}) standing_.advance(event);
  EXPECT_EQ(take({"one"}), "") << "code may be exchanged where nothing runs";
  standing_.set_destroyed();
  EXPECT_EQ(take({"one"}), "not_found: there is no sandbox a: it was destroyed");
}

}  // namespace
}  // namespace petri
