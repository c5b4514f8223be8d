// Starting, stopping and asking a tree.
#include "supervisor/supervision_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/tree_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

ChildSpec child(std::string id, Shutdown shutdown = {}) {
  return {.id = std::move(id), .module = "m", .shutdown = shutdown};
}

SupervisorSpec abc() { return {.intensity = 100, .children = {child("a"), child("b"), child("c")}}; }

// S16
TEST(StartingATree, GoesInTheOrderOfTheSpec) {
  TreeFixture world(abc());
  EXPECT_THAT(world.start(), ElementsAre("start a", "start b", "start c", "started"));
}

// S16
TEST(StartingATree, WaitsForEachChildBeforeTheNext) {
  TreeFixture world(abc());
  world.slow = {"b"};
  EXPECT_THAT(world.start(), ElementsAre("start a", "start b"));
  EXPECT_THAT(world.finish_start("b"), ElementsAre("start c", "started"));
}

// S16
TEST(StartingATree, StopsWhatRunsWhenOneFailsAndNamesIt) {
  TreeFixture world(abc());
  world.failing = {"c"};
  EXPECT_THAT(world.start(), ElementsAre("start a", "start b", "fail c", "stop b", "stop a", "ended"));
  EXPECT_EQ(world.ended->failed_child, "c");
  EXPECT_FALSE(world.ended->gave_up);
}

// S16
TEST(StartingATree, NamesTheProcessBehindASupervisorThatFails) {
  SupervisorSpec deep{.id = "deep", .children = {child("x")}};
  SupervisorSpec pool{.id = "pool", .children = {deep}};
  TreeFixture world({.children = {child("a"), pool}});
  world.failing = {"pool/deep/x"};
  EXPECT_THAT(world.start(), ElementsAre("start a", "fail pool/deep/x", "stop a", "ended"));
  EXPECT_EQ(world.ended->failed_child, "pool/deep/x");
}

// S17
TEST(StoppingATree, GoesInReverseStartOrderThroughNestedOnes) {
  SupervisorSpec pool{.id = "pool", .children = {child("x"), child("y")}};
  TreeFixture world({.children = {child("a"), pool, child("b")}});
  world.start();
  EXPECT_THAT(world.stop(), ElementsAre("stop b", "stop pool/y", "stop pool/x", "stop a", "ended"));
  EXPECT_EQ(world.ended->reason, ExitReason::shutdown);
}

// S17
TEST(StoppingATree, DoesNotRestartWhatEndsMeanwhile) {
  TreeFixture world(abc());
  world.start();
  world.stubborn = {"c"};
  EXPECT_THAT(world.stop(), ElementsAre("stop c"));
  EXPECT_THAT(world.crash("a"), IsEmpty());
  EXPECT_THAT(world.crash("c"), ElementsAre("stop b", "ended"));
}

// S18
TEST(StoppingATree, KillsAChildWhoseTimeIsUp) {
  TreeFixture world(abc());
  world.start();
  world.stubborn = {"b"};
  EXPECT_THAT(world.stop(), ElementsAre("stop c", "stop b"));
  EXPECT_EQ(world.tree.deadline(), Clock::TimePoint(5s));
  EXPECT_THAT(world.pass(4999ms), IsEmpty());
  EXPECT_THAT(world.pass(1ms), ElementsAre("kill b", "stop a", "ended"));
  EXPECT_FALSE(world.tree.deadline());
}

// S18
TEST(StoppingATree, KillsAtOnceWhereThatIsAskedForAndWaitsWhereItIsInfinity) {
  TreeFixture world({.children = {child("a", Shutdown::infinity()), child("b", Shutdown::brutal())}});
  world.start();
  world.stubborn = {"a"};
  EXPECT_THAT(world.stop(), ElementsAre("kill b", "stop a"));
  EXPECT_FALSE(world.tree.deadline());
  EXPECT_THAT(world.crash("a", ExitReason::shutdown), ElementsAre("ended"));
}

TEST(StoppingATree, EndsAllBelowASupervisorWhoseTimeIsUp) {
  SupervisorSpec pool{.id = "pool", .shutdown = Shutdown::after(2s), .children = {child("x"), child("y")}};
  TreeFixture world({.children = {child("a"), pool}});
  world.start();
  world.stubborn = {"pool/y"};
  EXPECT_THAT(world.stop(), ElementsAre("stop pool/y"));
  EXPECT_THAT(world.pass(2s), ElementsAre("kill pool/x", "kill pool/y", "stop a", "ended"));
}

// S05
TEST(StoppingATree, StopsChildrenOfATemplateAllAtOnce) {
  TreeFixture world({.strategy = Strategy::simple_one_for_one, .children = {child("w")}});
  world.start();
  for (int count = 0; count < 3; ++count) world.ask(AddInstance{});
  world.stubborn = {"w-1", "w-3"};
  EXPECT_THAT(world.stop(), ElementsAre("stop w-3", "stop w-2", "stop w-1", "removed w-2"));
  EXPECT_THAT(world.pass(5s),
              testing::UnorderedElementsAre("kill w-3", "kill w-1", "removed w-3", "removed w-1", "ended"));
}

// Children that do not build on one another: each has its own time.
TEST(StoppingATree, StopsAllAtOnceWhereThatIsItsOrder) {
  const SupervisorSpec spec{.children = {child("a", Shutdown::after(2s)), child("b", Shutdown::infinity()),
                                         child("c", Shutdown::after(1s)), child("d")}};
  TreeFixture world(spec, StopOrder::together);
  world.start();
  world.stubborn = {"a", "b", "c"};
  EXPECT_THAT(world.stop(), ElementsAre("stop d", "stop c", "stop b", "stop a"));
  EXPECT_EQ(world.tree.deadline(), Clock::TimePoint(1s));
  EXPECT_THAT(world.pass(1s), ElementsAre("kill c"));
  EXPECT_EQ(world.tree.deadline(), Clock::TimePoint(2s));
  EXPECT_THAT(world.crash("a"), IsEmpty());
  EXPECT_FALSE(world.tree.deadline());
  EXPECT_THAT(world.kill(), ElementsAre("kill b", "ended"));
}

TEST(StoppingATree, StopsAChildThatIsAskedForByItselfWhateverTheOrder) {
  TreeFixture world({.children = {child("a"), child("b")}}, StopOrder::together);
  world.start();
  EXPECT_THAT(world.ask(StopOne{"a"}), ElementsAre("stop a"));
  EXPECT_TRUE(world.runs("b"));
}

TEST(KillingATree, EndsWhatRunsStartsAndStops) {
  TreeFixture world({.children = {child("a"), SupervisorSpec{.id = "pool", .children = {child("x")}}, child("b")}});
  world.slow = {"b"};
  world.start();
  EXPECT_THAT(world.kill(), testing::UnorderedElementsAre("kill a", "kill pool/x", "kill b", "ended"));
  EXPECT_EQ(world.ended->reason, ExitReason::abnormal);
}

// S24
TEST(AskingATree, StartsAChildAfterTheOthersAndStopsItWithoutCounting) {
  SupervisorSpec spec = abc();
  spec.intensity = 0;
  TreeFixture world(spec);
  world.start();
  EXPECT_THAT(world.ask(AddChild{child("d")}), ElementsAre("start d"));
  EXPECT_TRUE(world.last_ok());
  EXPECT_THAT(world.ask(StopOne{.id = "d"}), ElementsAre("stop d"));
  EXPECT_EQ(world.tree.find("d")->status, ChildStatus::stopped);
  EXPECT_THAT(world.left, ElementsAre("d"));
  EXPECT_THAT(world.ask(RemoveOne{.id = "d"}), ElementsAre("removed d"));
  EXPECT_FALSE(world.tree.find("d"));
  EXPECT_FALSE(world.ended);
}

// S24: as in OTP, a stopped child keeps its place, and comes back with a round that takes it in.
TEST(AskingATree, AStoppedChildComesBackWithARoundOfAll) {
  SupervisorSpec spec = abc();
  spec.strategy = Strategy::one_for_all;
  TreeFixture world(spec);
  world.start();
  world.ask(StopOne{.id = "b"});
  EXPECT_THAT(world.crash("a"), ElementsAre("stop c", "again a", "again b", "again c"));
}

// S19
TEST(AskingATree, RefusesWhatCannotBeWithACodeForEach) {
  TreeFixture world(abc());
  world.start();
  const auto refused = [&](Request request, const std::string& supervisor = "") {
    EXPECT_THAT(world.ask(std::move(request), supervisor), IsEmpty());
    return world.last_error();
  };
  EXPECT_EQ(refused(AddChild{child("a")}), ErrorCode::already_exists);
  EXPECT_EQ(refused(StopOne{.id = "nobody"}), ErrorCode::not_found);
  EXPECT_EQ(refused(RestartOne{.id = "nobody"}), ErrorCode::not_found);
  EXPECT_EQ(refused(RemoveOne{.id = "nobody"}), ErrorCode::not_found);
  EXPECT_EQ(refused(RestartOne{.id = "a"}), ErrorCode::already_exists);
  EXPECT_EQ(refused(RemoveOne{.id = "a"}), ErrorCode::busy);
  EXPECT_EQ(refused(AddInstance{}), ErrorCode::rejected);
  EXPECT_EQ(refused(StopOne{.id = "a"}, "nowhere"), ErrorCode::not_found);
  EXPECT_EQ(refused(StopOne{.id = "a"}, "a"), ErrorCode::not_found) << "a process is no supervisor";
  EXPECT_EQ(refused(StopOne{.id = "a"}, "/"), ErrorCode::not_found);
}

// A restart that failed is tried again: a caller that wants another child stops it first.
TEST(AskingATree, RefusesToRestartOrRemoveAChildThatIsBeingRestarted) {
  TreeFixture world({.intensity = 3, .children = {child("a")}});
  world.start();
  world.slow.insert("a");
  EXPECT_THAT(world.crash("a"), ElementsAre("again a"));
  EXPECT_THAT(world.ask(RestartOne{.id = "a"}), IsEmpty());
  EXPECT_THAT(world.ask(RemoveOne{.id = "a"}), IsEmpty());
  EXPECT_THAT(world.answers, IsEmpty()) << "they wait until the start is known";
  EXPECT_THAT(world.fail_start("a"), ElementsAre("again a"));
  for (const Ticket ticket : {1, 2}) {
    EXPECT_EQ(world.answers.at(ticket).error().code, ErrorCode::busy);
    EXPECT_EQ(world.answers.at(ticket).error().message, "the child \"a\" is being restarted; stop it first");
  }
  EXPECT_THAT(world.finish_start("a"), IsEmpty());
  EXPECT_TRUE(world.runs("a"));
}

TEST(AskingATree, ChildrenOfATemplateAreGoneOnceTheyStop) {
  TreeFixture world({.strategy = Strategy::simple_one_for_one, .children = {child("w")}});
  world.start();
  world.ask(AddInstance{{.id = "one", .input = "mine"}});
  EXPECT_EQ(world.tree.find("one")->spec->process()->input, "mine");
  world.ask(AddInstance{{.id = "one"}});
  EXPECT_EQ(world.last_error(), ErrorCode::already_exists);
  EXPECT_THAT(world.ask(StopOne{.id = "one"}), ElementsAre("stop one", "removed one"));
  world.ask(RestartOne{.id = "one"});
  EXPECT_EQ(world.last_error(), ErrorCode::rejected);
  world.ask(AddChild{child("d")});
  EXPECT_EQ(world.last_error(), ErrorCode::rejected);
}

TEST(AskingATree, KnowsTheTemplateOfAPoolAndTheAddressOfAnInstance) {
  SupervisorSpec pool{.id = "pool", .strategy = Strategy::simple_one_for_one, .children = {child("w")}};
  TreeFixture world({.children = {child("a"), pool}});
  world.start();
  EXPECT_EQ(world.tree.template_at(""), nullptr);
  EXPECT_EQ(world.tree.template_at("ghost"), nullptr);
  ASSERT_NE(world.tree.template_at("pool"), nullptr);
  EXPECT_EQ(world.tree.template_at("pool")->id(), "w");
  EXPECT_THAT(world.ask(AddInstance{{.id = "one"}}, "pool"), ElementsAre("start pool/one"));
  EXPECT_TRUE(world.tree.find("pool/one")->added);
  EXPECT_FALSE(world.tree.find("a")->added);
}

TEST(AskingATree, ASupervisorAsATemplateTakesNoInput) {
  SupervisorSpec group{.id = "group", .children = {child("x")}};
  TreeFixture world({.strategy = Strategy::simple_one_for_one, .children = {group}});
  world.start();
  EXPECT_THAT(world.ask(AddInstance{{.id = "one"}}), ElementsAre("start one/x"));
  world.ask(AddInstance{{.id = "two", .input = "mine"}});
  EXPECT_EQ(world.answers.at(world.tickets).error().message,
            "the template \"group\" is a supervisor, which takes no input");
}

TEST(AskingATree, AFailedStartIsAnErrorAndCostsNobodyAnything) {
  SupervisorSpec spec = abc();
  spec.intensity = 0;
  TreeFixture world(spec);
  world.start();
  world.failing = {"d", "a"};
  EXPECT_THAT(world.ask(AddChild{child("d")}), ElementsAre("fail d", "removed d"));
  EXPECT_EQ(world.last_error(), ErrorCode::start_failed);
  EXPECT_FALSE(world.tree.find("d"));
  world.ask(StopOne{.id = "a"});
  EXPECT_THAT(world.ask(RestartOne{.id = "a"}), ElementsAre("fail a"));
  EXPECT_THAT(world.left, ElementsAre("a", "a"));
  EXPECT_EQ(world.tree.find("a")->status, ChildStatus::stopped);
  EXPECT_FALSE(world.ended);
}

TEST(AskingATree, RequestsWaitTheirTurnAndAreCancelledWhenItEnds) {
  TreeFixture world(abc());
  world.start();
  world.stubborn = {"c"};
  world.stop();
  EXPECT_THAT(world.ask(AddChild{child("d")}), IsEmpty());
  EXPECT_FALSE(world.answers.contains(world.tickets));
  world.crash("c");
  EXPECT_EQ(world.last_error(), ErrorCode::cancelled);
  world.ask(AddChild{child("d")});
  EXPECT_EQ(world.last_error(), ErrorCode::cancelled) << "asked after the end";
}

// S25
TEST(UpdatingATree, StartsStopsAndKeepsEachInItsOrder) {
  TreeFixture world(abc());
  world.start();
  const Incarnation kept = world.incarnation("c");
  ChildSpec changed = child("b");
  changed.module = "other";
  SupervisorSpec wanted{.strategy = Strategy::one_for_all,
                        .intensity = 100,
                        .children = {child("new"), child("c"), changed, child("last")}};

  EXPECT_THAT(world.ask(UpdateChildren{wanted}),
              ElementsAre("stop b", "stop a", "removed a", "start new", "again b", "start last"));
  EXPECT_TRUE(world.last_ok());
  EXPECT_EQ(world.incarnation("c"), kept);
  EXPECT_THAT(world.crash("last"),
              ElementsAre("stop b", "stop c", "stop new", "again new", "again c", "again b", "again last"))
      << "the new order and strategy hold";
}

// S25
TEST(UpdatingATree, ReachesIntoNestedSupervisorsWithoutTouchingTheRest) {
  SupervisorSpec pool{.id = "pool", .children = {child("x"), child("y")}};
  TreeFixture world({.children = {child("a"), pool}});
  world.start();
  const Incarnation kept = world.incarnation("pool/x");
  SupervisorSpec wanted{.id = "pool", .children = {child("x"), child("z")}};

  EXPECT_THAT(world.ask(UpdateChildren{{.children = {child("a"), wanted}}}),
              ElementsAre("stop pool/y", "removed pool/y", "start pool/z"));
  EXPECT_TRUE(world.last_ok());
  EXPECT_EQ(world.incarnation("pool/x"), kept);
}

// S25
TEST(UpdatingATree, ContinuesWhenAStartFailsAndNamesThemAll) {
  SupervisorSpec pool{.id = "pool", .children = {child("x")}};
  TreeFixture world({.intensity = 0, .children = {pool}});
  world.start();
  world.failing = {"b", "pool/z"};
  SupervisorSpec wanted{.id = "pool", .children = {child("x"), child("z")}};
  world.ask(UpdateChildren{{.children = {wanted, child("b"), child("c")}}});

  EXPECT_EQ(world.last_error(), ErrorCode::start_failed);
  EXPECT_EQ(world.answers.at(world.tickets).error().message, "the children \"pool/z\", \"b\" could not be started");
  EXPECT_TRUE(world.runs("c"));
  EXPECT_EQ(world.tree.find("b")->status, ChildStatus::stopped);
}

TEST(Entries, ShowTheTreeParentsFirst) {
  SupervisorSpec pool{.id = "pool", .children = {child("x")}};
  TreeFixture world({.children = {child("a"), pool, child("b")}});
  world.start();
  std::vector<std::string> addresses;
  for (const TreeEntry& entry : world.tree.entries()) addresses.push_back(entry.address);
  EXPECT_THAT(addresses, ElementsAre("a", "pool", "pool/x", "b"));
}

TEST(SupervisionTree, IgnoresNewsOfProcessesThatAreNoMore) {
  TreeFixture world(abc());
  world.start();
  const Incarnation old = world.incarnation("a");
  world.crash("a");
  EXPECT_TRUE(world.tree.exited(old, ExitReason::abnormal, {}).empty());
  EXPECT_TRUE(world.tree.started(old, {}).empty());
  EXPECT_TRUE(world.tree.start_failed(12345, {}).empty());
}

}  // namespace
}  // namespace petri
