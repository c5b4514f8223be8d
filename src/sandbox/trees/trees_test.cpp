#include "sandbox/trees/trees.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "sandbox/trees/trees_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TreesTest : public TreesFixture {};

TEST_F(TreesTest, HaveAProcessForEachChildOfTheSpecOnceTheyHaveStarted) {
  add_module(kCounter);
  spec_.set({.children = {ChildSpec{.id = "one", .module = "counter"}, ChildSpec{.id = "two", .module = "counter"}}});
  EXPECT_EQ(trees_.tree(), nullptr);
  ASSERT_TRUE(start());
  EXPECT_EQ(names(trees_.processes_of("counter")), "one two");
  EXPECT_THAT(trees_.modules_with_processes(), ElementsAre("counter"));
  EXPECT_THAT(trees_.processes_of("other"), IsEmpty());
  EXPECT_TRUE(trees_.are_quiet());
  EXPECT_FALSE(trees_.some_are_down());
  std::vector<std::string> children;
  for (const ChildInfo& child : trees_.children()) children.push_back(child.address + " " + child.status);
  EXPECT_THAT(children, ElementsAre("one running", "two running"));
}

TEST_F(TreesTest, NameTheChildThatDoesNotStartAndWhyAndLeaveNothing) {
  add_module(kBroken);
  const auto started = start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message,
              ::testing::StartsWith("the child counter could not be started: it ended as trapped"));
  EXPECT_EQ(processes_.size(), 0U);
}

TEST_F(TreesTest, DoNotStartForSomebodyWhoWaitsToEndThem) {
  add_module(kCounter);
  std::optional<StructuralControl::Turn> turn = control_.take();
  std::promise<void> asked;
  std::thread ender([&] {
    const auto to_end = control_.take_to_end([&] {
      activity_.start_to_end();
      asked.set_value();
    });
  });
  asked.get_future().wait();
  const auto started = trees_.start(*turn);
  turn.reset();
  ender.join();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::cancelled);
  EXPECT_EQ(trees_.tree(), nullptr);
}

TEST_F(TreesTest, MakeTheSecondTreeForTheFirstChildThatIsSpawned) {
  add_module(kCounter);
  ASSERT_TRUE(start());
  EXPECT_EQ(trees_.dynamic(), nullptr);
  const auto spawned = trees_.for_spawned();
  ASSERT_NE(spawned, nullptr);
  EXPECT_EQ(trees_.for_spawned(), spawned);
  EXPECT_TRUE(trees_.is_dynamic(*spawned));
  EXPECT_FALSE(trees_.is_dynamic(*trees_.tree()));
  EXPECT_THAT(trees_.all(), SizeIs(2));
}

TEST_F(TreesTest, MakeNoSecondTreeWhereEverythingIsBeingEnded) {
  add_module(kCounter);
  ASSERT_TRUE(start());
  control_.end_runs();
  EXPECT_EQ(trees_.for_spawned(), nullptr);
}

TEST_F(TreesTest, LoseThePlaceOfASpawnedChildThatHasEnded) {
  add_module(kCounter);
  ASSERT_TRUE(start());
  const auto spawned = trees_.for_spawned();
  ASSERT_TRUE(processes_.reserve(*processes_.find("counter"), "child", ProcessTable::Where::dynamic));
  ASSERT_TRUE(spawned->request("", AddChild{ChildSpec{.id = "child", .module = "counter"}, nullptr}));
  EXPECT_EQ(names(trees_.processes_of("counter")), "counter child");
  ASSERT_TRUE(spawned->request("", StopOne{"child"}));
  trees_.wait_until_quiet();
  EXPECT_FALSE(spawned->has("child"));
  EXPECT_EQ(processes_.find("child"), nullptr);
  EXPECT_TRUE(processes_.must_be_free("child"));
}

TEST_F(TreesTest, LiveWithoutTheSecondWhenThatGivesUp) {
  add_module(kCounter);
  ASSERT_TRUE(start());
  const auto spawned = trees_.for_spawned();
  ASSERT_TRUE(processes_.reserve(*processes_.find("counter"), "child", ProcessTable::Where::dynamic));
  EXPECT_TRUE(trees_.lives_without(spawned));
  EXPECT_EQ(trees_.dynamic(), nullptr);
  EXPECT_TRUE(processes_.must_be_free("child"));
  EXPECT_NE(trees_.tree(), nullptr);
}

}  // namespace
}  // namespace petri
