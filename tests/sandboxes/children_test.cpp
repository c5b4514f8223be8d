// Children that come and go while a sandbox lives: after a template, by request, spawned by guests, and what those are
// notified of their ends.
#include "children_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

INSTANTIATE_TEST_SUITE_P(BothTiers, ChildrenTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// ---- after a template -----------------------------------------------------------------------------------------

TEST_P(ChildrenTest, StartsInstancesAfterTheTemplateOfTheRoot) {  // S05
  Sandbox sandbox = create(spec(pool()));
  EXPECT_THAT(addresses(sandbox), ElementsAre());
  EXPECT_EQ(sandbox.start_instance(), "worker-1");
  EXPECT_EQ(sandbox.start_instance({.id = "mine", .input = "x"}), "mine");
  EXPECT_EQ(number(sandbox, "first", "worker-1"), 't');
  EXPECT_EQ(number(sandbox, "first", "mine"), 'x');
  EXPECT_EQ(number(sandbox, "next", "worker-1"), 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "mine"), OutcomeKind::trapped), "");
  EXPECT_EQ(number(sandbox, "first", "mine"), 'x') << "it comes back with its own input";
  EXPECT_EQ(number(sandbox, "next", "worker-1"), 2) << "a crash restarts that child alone";
  ASSERT_TRUE(sandbox.stop_child("mine"));
  EXPECT_THAT(addresses(sandbox), ElementsAre("worker-1 running"));
}

TEST_P(ChildrenTest, StartsInstancesInAPoolBesideOthers) {  // S05
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  EXPECT_EQ(sandbox.start_instance({}, "pool"), "pool/worker-1");
  EXPECT_EQ(sandbox.start_instance({.id = "b"}, "pool"), "pool/b");
  EXPECT_EQ(number(sandbox, "next", "pool/b"), 1);
  EXPECT_THAT(addresses(sandbox),
              ElementsAre("parent running", "pool running", "pool/worker-1 running", "pool/b running"));
}

TEST_P(ChildrenTest, SaysWhyAnInstanceCannotBeStarted) {
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  ASSERT_TRUE(sandbox.start_instance({.id = "b"}, "pool"));
  EXPECT_EQ(message(sandbox.start_instance({.id = "b"}, "pool")), "already_exists: there is a child \"b\" already");
  EXPECT_EQ(
      message(sandbox.start_instance({.id = "!"}, "pool")),
      "validation_failed: \"!\" cannot be the id of a child: an id has 1 to 64 letters, digits, \"_\" or \"-\" and "
      "starts with a letter or digit");
  EXPECT_EQ(message(sandbox.start_instance({.id = "c", .input = "!"}, "pool")),
            "start_failed: the child \"c\" could not be started: it ended as exited in call with code 1");
  EXPECT_EQ(message(sandbox.start_instance()),
            "rejected: this supervisor is one_for_one and has no template; use start_child");
  EXPECT_EQ(message(sandbox.start_instance({}, "ghost")), "not_found: there is no running supervisor \"ghost\"");
  EXPECT_EQ(message(sandbox.start_child(ChildSpec{.id = "d", .module = "worker"}, "pool")),
            "rejected: this supervisor is simple_one_for_one: its children follow its template; use start_instance");
}

TEST_P(ChildrenTest, GivesNoInstanceTheNameOfAChildThatAGuestSpawned) {
  SandboxSpec wanted = spec(pool());
  wanted.modules[0].source = Source::wat(std::string(kSpawner));
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(sandbox.start_instance({.id = "parent"}), "parent");
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "worker-1", "module": "parent"})"), 0);
  EXPECT_EQ(message(sandbox.start_instance({.id = "worker-1"})),
            "start_failed: the child \"worker-1\" could not be started: a guest has spawned a child of the name "
            "worker-1");
  EXPECT_EQ(sandbox.start_instance(), "worker-2");
  EXPECT_EQ(number(sandbox, "stop", "parent", "worker-1"), 0) << "it lives on";
}

TEST_P(ChildrenTest, LetsGuestsSpawnInstancesOfAPool) {  // S05
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  const auto spawn = [&](const std::string& json) { return number(sandbox, "spawn", "parent", json); };
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "kid", "input": "k"})"), 0);
  EXPECT_EQ(number(sandbox, "first", "pool/kid"), 'k');
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "other", "input_hex": "7a"})"), 0);
  EXPECT_EQ(number(sandbox, "first", "pool/other"), 'z');
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "third"})"), 0);
  EXPECT_EQ(number(sandbox, "first", "pool/third"), 't');
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "kid"})"), static_cast<int>(GuestError::already_exists));
  EXPECT_EQ(spawn(R"({"supervisor": "pool"})"), static_cast<int>(GuestError::invalid));
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "x", "module": "worker"})"), static_cast<int>(GuestError::invalid));
  EXPECT_EQ(spawn(R"({"supervisor": "", "id": "x"})"), static_cast<int>(GuestError::invalid)) << "it has no template";
  EXPECT_EQ(spawn(R"({"supervisor": "ghost", "id": "x"})"), static_cast<int>(GuestError::not_found));
  EXPECT_EQ(number(sandbox, "stop", "parent", "pool/kid"), 0);
  EXPECT_EQ(number(sandbox, "stop", "parent", "pool/kid"), static_cast<int>(GuestError::not_found));
  EXPECT_EQ(spawn(R"({"supervisor": "pool", "id": "kid"})"), 0);
}

// ---- stopped, started and removed -----------------------------------------------------------------------------

TEST_P(ChildrenTest, StartsAndRemovesAChildThatWasStopped) {  // S24, S25
  Sandbox sandbox = create(spec({.children = {ChildSpec{.id = "w", .module = "worker"}}}));
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "worker"}));
  EXPECT_EQ(message(sandbox.restart_child("more")), "already_exists: the child \"more\" runs already");
  EXPECT_EQ(message(sandbox.remove_child("more")), "busy: the child \"more\" runs; stop it first");
  ASSERT_TRUE(sandbox.stop_child("more"));
  EXPECT_THAT(addresses(sandbox), ElementsAre("w running", "more stopped"));
  EXPECT_EQ(
      message(sandbox.start_child(ChildSpec{.id = "more", .module = "worker"})),
      "already_exists: there is a child \"more\" already, which is stopped; restart_child starts it, remove_child "
      "removes it");
  ASSERT_TRUE(sandbox.restart_child("more"));
  EXPECT_EQ(number(sandbox, "next", "more"), 1);
  ASSERT_TRUE(sandbox.stop_child("more"));
  ASSERT_TRUE(sandbox.remove_child("more"));
  EXPECT_THAT(addresses(sandbox), ElementsAre("w running"));
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "worker", .input = "n"}));
  EXPECT_EQ(number(sandbox, "first", "more"), 'n');
  EXPECT_EQ(message(sandbox.restart_child("ghost")),
            "not_found: there is no child \"ghost\"; children lists those that there are");
  EXPECT_EQ(message(sandbox.remove_child("pool/ghost")), "not_found: there is no running supervisor \"pool\"");
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(message(sandbox.restart_child("w")), "rejected: the sandbox a is stopped; restart it first");
}

TEST_P(ChildrenTest, NamesTheWholeAddressOfAChildThatCannotBeHad) {
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  EXPECT_EQ(message(sandbox.stop_child("pool/ghost")),
            "not_found: there is no child \"pool/ghost\"; children lists those that there are");
  EXPECT_EQ(message(sandbox.restart_child("pool/ghost")),
            "rejected: \"pool/ghost\" can be neither started again nor removed: children of a simple_one_for_one are "
            "gone once they stop; start_instance starts another");
}

TEST_P(ChildrenTest, UpdatesATreeThatHasAStoppedChild) {  // S25
  const SupervisorSpec tree{.children = {ChildSpec{.id = "w", .module = "worker"}}};
  Sandbox sandbox = create(spec(tree));
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "worker"}));
  ASSERT_TRUE(sandbox.stop_child("more"));
  SupervisorSpec wanted = tree;
  wanted.children.emplace_back(ChildSpec{.id = "more", .module = "worker"});
  ASSERT_TRUE(sandbox.update_tree(wanted));
  ASSERT_TRUE(sandbox.restart_child("more"));
  ASSERT_TRUE(sandbox.update_tree(tree));
  EXPECT_THAT(addresses(sandbox), ElementsAre("w running"));
}

// ---- messages that nobody takes -------------------------------------------------------------------------------

TEST_P(ChildrenTest, RefusesAMessageForAModuleWithoutAHandler) {
  Sandbox sandbox = create(spec({.children = {ChildSpec{.id = "w", .module = "worker"}}}));
  EXPECT_EQ(message(sandbox.send("hello", "w")),
            "not_found: the process w takes no messages: its module exports no function petri_handle; export "
            "petri_handle () -> i32 from it, or call a function that it exports");
  EXPECT_EQ(sandbox.usage().messages, 0U);
}

}  // namespace
}  // namespace petri
