// The children that are restarted when one ends, and when a supervisor gives up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/tree_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

ChildSpec child_of_type(std::string id, RestartType restart = RestartType::permanent) {
  return {.id = std::move(id), .module = "m", .restart = restart};
}

SupervisorSpec tree_of(Strategy strategy, std::vector<TreeChild> children, std::uint32_t intensity = 100) {
  return {.strategy = strategy, .intensity = intensity, .children = std::move(children)};
}

// S01
TEST(Strategies, StartAPermanentChildThatCrashedAnew) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a")}));
  world.start();
  const Incarnation first = world.incarnation("a");

  EXPECT_THAT(world.crash("a"), ElementsAre("again a"));
  EXPECT_NE(world.incarnation("a"), first);
  EXPECT_FALSE(world.ended);
}

// S02
TEST(Strategies, OneForOneLeavesTheSiblingsAlone) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), child_of_type("b"), child_of_type("c")}));
  world.start();
  const Incarnation sibling = world.incarnation("c");

  EXPECT_THAT(world.crash("b"), ElementsAre("again b"));
  EXPECT_EQ(world.incarnation("c"), sibling);
}

// S03
TEST(Strategies, OneForAllStopsTheOthersBackwardsAndStartsAll) {
  TreeFixture world(tree_of(Strategy::one_for_all, {child_of_type("a"), child_of_type("b"), child_of_type("c")}));
  world.start();

  EXPECT_THAT(world.crash("b"), ElementsAre("stop c", "stop a", "again a", "again b", "again c"));
}

// S04
TEST(Strategies, RestForOneStopsAndStartsWhatCameAfter) {
  TreeFixture world(tree_of(Strategy::rest_for_one,
                            {child_of_type("a"), child_of_type("b"), child_of_type("c"), child_of_type("d")}));
  world.start();
  const Incarnation before = world.incarnation("a");

  EXPECT_THAT(world.crash("b"), ElementsAre("stop d", "stop c", "again b", "again c", "again d"));
  EXPECT_EQ(world.incarnation("a"), before);
}

// S05
TEST(Strategies, SimpleOneForOneHasNoChildAtTheStartAndRestartsEachAlone) {
  TreeFixture world(tree_of(Strategy::simple_one_for_one, {child_of_type("w")}));
  EXPECT_THAT(world.start(), ElementsAre("started"));

  EXPECT_THAT(world.ask(AddInstance{}), ElementsAre("start w-1"));
  EXPECT_THAT(world.ask(AddInstance{{.id = "mine"}}), ElementsAre("start mine"));
  EXPECT_EQ(world.tree.find("mine")->spec->process()->module, "m");
  EXPECT_THAT(world.crash("mine"), ElementsAre("again mine"));
  EXPECT_TRUE(world.runs("w-1"));
}

// S06
TEST(Strategies, APermanentChildCountsForEveryEnd) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a")}, 2));
  world.start();

  EXPECT_THAT(world.crash("a", ExitReason::normal), ElementsAre("again a"));
  EXPECT_THAT(world.crash("a", ExitReason::shutdown), ElementsAre("again a"));
  EXPECT_THAT(world.crash("a", ExitReason::normal), ElementsAre("ended"));
}

// S07
TEST(Strategies, ATransientChildThatEndedWellKeepsItsPlaceAndDoesNotCount) {
  TreeFixture world(
      tree_of(Strategy::one_for_one, {child_of_type("a", RestartType::transient), child_of_type("b")}, 1));
  world.start();

  EXPECT_THAT(world.crash("a", ExitReason::normal), IsEmpty());
  EXPECT_EQ(world.tree.find("a")->status, ChildStatus::stopped);
  EXPECT_THAT(world.crash("b"), ElementsAre("again b")) << "the end of a was not counted";
}

// S07
TEST(Strategies, ATransientChildThatCrashedComesBack) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a", RestartType::transient)}));
  world.start();
  EXPECT_THAT(world.crash("a", ExitReason::abnormal), ElementsAre("again a"));
}

// S08
TEST(Strategies, ATemporaryChildNeverComesBack) {
  TreeFixture world(tree_of(Strategy::one_for_all,
                            {child_of_type("a"), child_of_type("t", RestartType::temporary), child_of_type("b")}));
  world.start();

  EXPECT_THAT(world.crash("a"), ElementsAre("stop b", "stop t", "removed t", "again a", "again b"));
  EXPECT_FALSE(world.tree.find("t"));
}

// S08 S11
TEST(Strategies, TheCrashOfATemporaryChildLeavesEverythingElseAlone) {
  TreeFixture world(
      tree_of(Strategy::one_for_all, {child_of_type("a"), child_of_type("t", RestartType::temporary)}, 0));
  world.start();

  EXPECT_THAT(world.crash("t"), ElementsAre("removed t"));
  EXPECT_TRUE(world.runs("a"));
  EXPECT_FALSE(world.ended);
}

// S09
TEST(GivingUp, ComesWithTheSecondCrashInFiveSecondsByDefault) {
  TreeFixture world(SupervisorSpec{.children = {child_of_type("a"), child_of_type("b")}});
  world.start();

  EXPECT_THAT(world.crash("a"), ElementsAre("again a"));
  EXPECT_THAT(world.crash("a"), ElementsAre("stop b", "ended"));
  EXPECT_THAT(world.gave_up, ElementsAre(":a"));
  EXPECT_TRUE(world.ended->gave_up);
  EXPECT_EQ(world.ended->reason, ExitReason::shutdown);
}

// S10
TEST(GivingUp, LooksAtAWindowThatIsInclusive) {
  TreeFixture at_the_edge(SupervisorSpec{.children = {child_of_type("a")}});
  at_the_edge.start();
  at_the_edge.crash("a");
  at_the_edge.pass(5s);
  EXPECT_THAT(at_the_edge.crash("a"), ElementsAre("ended"));

  TreeFixture beyond(SupervisorSpec{.children = {child_of_type("a")}});
  beyond.start();
  beyond.crash("a");
  beyond.pass(6s);
  EXPECT_THAT(beyond.crash("a"), ElementsAre("again a"));
}

// S11
TEST(GivingUp, ComesWithTheFirstRestartWhenNoneIsAllowed) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), child_of_type("b")}, 0));
  world.start();
  EXPECT_THAT(world.crash("a"), ElementsAre("stop b", "ended"));
}

// S12
TEST(GivingUp, CountsTheRestartsOfAllChildrenTogether) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), child_of_type("b")}, 1));
  world.start();
  world.crash("a");
  EXPECT_THAT(world.crash("b"), ElementsAre("stop a", "ended"));
}

// S12
TEST(GivingUp, CountsARoundOfAllAsOne) {
  TreeFixture world(tree_of(Strategy::one_for_all,
                            {child_of_type("a"), child_of_type("b"), child_of_type("c"), child_of_type("d")}, 2));
  world.start();
  world.crash("a");
  world.crash("b");
  EXPECT_FALSE(world.ended);
  world.crash("c");
  EXPECT_TRUE(world.ended);
}

// S13
TEST(GivingUp, CountsEveryRestartThatFails) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a")}, 3));
  world.start();
  world.failing = {"a"};
  EXPECT_THAT(world.crash("a"), ElementsAre("fail a", "fail a", "fail a", "ended"));
}

// S13
TEST(GivingUp, UnderOneForAllAFailedStartTakesAllThroughAnotherRound) {
  TreeFixture world(tree_of(Strategy::one_for_all, {child_of_type("a"), child_of_type("b")}, 2));
  world.start();
  world.failing = {"b"};
  EXPECT_THAT(world.crash("a"),
              ElementsAre("stop b", "again a", "fail b", "stop a", "again a", "fail b", "stop a", "ended"));
}

// S15
TEST(Nesting, ASupervisorThatGivesUpIsRestartedWholeAndCountsOnce) {
  SupervisorSpec inner{
      .id = "pool", .intensity = 0, .children = {child_of_type("x"), child_of_type("y"), child_of_type("z")}};
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), inner}, 1));
  world.start();

  EXPECT_THAT(world.crash("pool/y"),
              ElementsAre("stop pool/z", "stop pool/x", "start pool/x", "start pool/y", "start pool/z"));
  EXPECT_THAT(world.gave_up, ElementsAre("pool:pool/y"));
  EXPECT_THAT(world.crash("pool/y"), ElementsAre("stop pool/z", "stop pool/x", "stop a", "ended"));
}

// S15: giving up is an orderly end to the parent, as in OTP.
TEST(Nesting, ATransientSupervisorThatGivesUpStaysDown) {
  SupervisorSpec inner{.id = "pool",
                       .intensity = 0,
                       .restart = RestartType::transient,
                       .children = {child_of_type("x"), child_of_type("y")}};
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), inner}));
  world.start();

  EXPECT_THAT(world.crash("pool/x"), ElementsAre("stop pool/y"));
  EXPECT_EQ(world.tree.find("pool")->status, ChildStatus::stopped);
  EXPECT_FALSE(world.tree.find("pool/x"));
  EXPECT_THAT(world.ask(RestartOne{.id = "pool"}), ElementsAre("start pool/x", "start pool/y"));
}

TEST(Nesting, ARoundOfTheParentTakesASupervisorDownAndUpInOrder) {
  SupervisorSpec inner{.id = "pool", .children = {child_of_type("x"), child_of_type("y")}};
  TreeFixture world(tree_of(Strategy::one_for_all, {child_of_type("a"), inner, child_of_type("b")}));
  world.start();
  EXPECT_THAT(world.crash("a"), ElementsAre("stop b", "stop pool/y", "stop pool/x", "again a", "start pool/x",
                                            "start pool/y", "again b"));
}

TEST(Meanwhile, AnEndDuringARoundIsSettledByThatRound) {
  TreeFixture world(tree_of(Strategy::one_for_all, {child_of_type("a"), child_of_type("b"), child_of_type("c")}));
  world.start();
  world.stubborn = {"c"};
  EXPECT_THAT(world.crash("b"), ElementsAre("stop c"));
  EXPECT_THAT(world.crash("a"), IsEmpty());
  EXPECT_THAT(world.crash("c"), ElementsAre("again a", "again b", "again c"))
      << "a needs no stop, and no round of its own";
}

TEST(Meanwhile, AChildThatIsStoppedBeforeItsNextTryStaysDown) {
  TreeFixture world(tree_of(Strategy::one_for_one, {child_of_type("a"), child_of_type("b")}));
  world.start();
  world.slow = {"b"};
  EXPECT_THAT(world.crash("b"), ElementsAre("again b"));
  world.failing = {"a"};
  EXPECT_THAT(world.crash("a"), IsEmpty());
  EXPECT_THAT(world.ask(StopOne{.id = "a"}), IsEmpty());
  EXPECT_THAT(world.finish_start("b"), ElementsAre("fail a")) << "the stop is handled before the next try";
  EXPECT_EQ(world.tree.find("a")->status, ChildStatus::stopped);
}

TEST(Meanwhile, AnEndOutsideTheRoundIsHandledAfterIt) {
  TreeFixture world(tree_of(Strategy::rest_for_one, {child_of_type("a"), child_of_type("b")}));
  world.start();
  world.slow = {"b"};
  EXPECT_THAT(world.crash("b"), ElementsAre("again b"));
  EXPECT_THAT(world.crash("a"), IsEmpty());
  EXPECT_THAT(world.finish_start("b"), ElementsAre("stop b", "again a", "again b"));
}

}  // namespace
}  // namespace petri
