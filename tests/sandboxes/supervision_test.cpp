// Area S: processes are started, watched, restarted and given up as the supervisor of Erlang/OTP does it. The decisions
// are tested in src/supervisor; here they are seen on real processes.
#include <algorithm>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SupervisionTest : public RuntimeFixture {
 protected:
  void crash(Sandbox& sandbox, const std::string& process) {
    EXPECT_EQ(testing::not_kind(call(sandbox, "crash", process), OutcomeKind::trapped), "");
  }
  Subscription lives() {
    return *runtime_->subscribe(
        {.kinds = {EventKind::process_started, EventKind::process_restarted, EventKind::process_exited}});
  }
};

TEST_F(SupervisionTest, StartsAPermanentChildAgainWithFreshState) {  // S01
  Sandbox sandbox = create(counter());
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(next(sandbox), 2);
  crash(sandbox, "counter");
  EXPECT_EQ(next(sandbox), 1);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

TEST_F(SupervisionTest, RestartsOneForOne) {  // S02
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"a", "b"}));
  EXPECT_EQ(next(sandbox, "a"), 1);
  EXPECT_EQ(next(sandbox, "b"), 1);
  crash(sandbox, "a");
  EXPECT_EQ(next(sandbox, "a"), 1);
  EXPECT_EQ(next(sandbox, "b"), 2);
}

TEST_F(SupervisionTest, RestartsOneForAll) {  // S03
  Sandbox sandbox = create(tree(Strategy::one_for_all, {"a", "b", "c"}));
  for (const std::string child : {"a", "b", "c"}) EXPECT_EQ(next(sandbox, child), 1);
  auto events = lives();
  crash(sandbox, "b");
  expect_restarts(sandbox, 3);
  for (const std::string child : {"a", "b", "c"}) EXPECT_EQ(next(sandbox, child), 1);
  EXPECT_THAT(names(events),
              ElementsAre("process.exited b", "process.restarted a", "process.restarted b", "process.restarted c"));
}

TEST_F(SupervisionTest, RestartsRestForOne) {  // S04
  Sandbox sandbox = create(tree(Strategy::rest_for_one, {"a", "b", "c", "d"}));
  EXPECT_EQ(next(sandbox, "a"), 1);
  auto events = lives();
  crash(sandbox, "b");
  expect_restarts(sandbox, 3);
  EXPECT_EQ(next(sandbox, "a"), 2);
  EXPECT_THAT(names(events),
              ElementsAre("process.exited b", "process.restarted b", "process.restarted c", "process.restarted d"));
}

TEST_F(SupervisionTest, RestartsAPermanentChildAfterAnOrderlyExitToo) {  // S06
  Sandbox sandbox = create(counter());
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {0}), OutcomeKind::exited), "");
  expect_restarts(sandbox, 1);
}

TEST_F(SupervisionTest, LeavesATransientChildThatExitedInOrder) {  // S07
  SandboxSpec spec = counter();
  spec.tree = SupervisorSpec{
      .intensity = 5, .children = {ChildSpec{.id = "t", .module = "counter", .restart = RestartType::transient}}};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {3}), OutcomeKind::exited), "");
  expect_restarts(sandbox, 1);
  crash(sandbox, "t");
  expect_restarts(sandbox, 2);
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {0}), OutcomeKind::exited), "");
  expect_soon([&] { return sandbox.usage().processes == 0 ? "" : "still there"; });
  EXPECT_EQ(sandbox.info().supervisor_restarts, 2U);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

TEST_F(SupervisionTest, NeverRestartsATemporaryChild) {  // S08
  SandboxSpec spec = counter();
  spec.tree = SupervisorSpec{.intensity = 0,
                             .children = {ChildSpec{.id = "t", .module = "counter", .restart = RestartType::temporary},
                                          ChildSpec{.id = "p", .module = "counter"}}};
  Sandbox sandbox = create(spec);
  crash(sandbox, "t");
  expect_soon([&] { return sandbox.children().size() == 1 ? "" : "its entry is there"; });
  EXPECT_EQ(next(sandbox, "p"), 1);
  expect_soon([&] { return testing::not_error(call(sandbox, "next", "t"), ErrorCode::not_found); });
}

TEST_F(SupervisionTest, GivesUpAfterOneCrashTooMany) {  // S09, O06
  auto events = *runtime_->subscribe({.kinds = {EventKind::process_gave_up, EventKind::sandbox_failed}});
  Sandbox sandbox = create(counter());
  crash(sandbox, "counter");
  EXPECT_EQ(next(sandbox), 1);
  crash(sandbox, "counter");
  std::vector<EventKind> seen;
  while (seen.size() < 2) {
    const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30));
    ASSERT_NE(event, nullptr);
    seen.push_back(event->kind);
  }
  EXPECT_THAT(seen, ElementsAre(EventKind::process_gave_up, EventKind::sandbox_failed));
  EXPECT_EQ(sandbox.status(), SandboxStatus::failed);
}

TEST_F(SupervisionTest, StopsTheOthersAndNamesTheChildThatDoesNotStart) {  // S16
  SandboxSpec spec = counter();
  spec.modules.push_back({"bad", Source::wat("(module (func (export \"petri_init\") (result i32) (i32.const 9)))")});
  spec.tree = SupervisorSpec{
      .children = {ChildSpec{.id = "good", .module = "counter"}, ChildSpec{.id = "broken", .module = "bad"}}};
  const auto failed = runtime_->create_sandbox(spec);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("broken"));
  EXPECT_THAT(failed.error().message, HasSubstr("code 9"));
  EXPECT_EQ(runtime_->info("a")->usage.processes, 0U);
}

TEST_F(SupervisionTest, CallsTerminateInReverseOrder) {  // S17
  std::vector<std::string> order;
  std::mutex mutex;
  SandboxSpec spec = tree(Strategy::one_for_one, {"a", "b", "c"});
  spec.modules[0].source = Source::wat(R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "end")
    (func (export "petri_terminate") (result i32) (drop (call $log (i32.const 2) (i32.const 0) (i32.const 3))) (i32.const 0))))");
  spec.on_log = [&](std::string_view process, LogLevel, std::string_view) {
    const std::lock_guard lock(mutex);
    order.emplace_back(process);
  };
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_THAT(order, ElementsAre("c", "b", "a"));
}

TEST_F(SupervisionTest, KillsAChildThatDoesNotEndInItsTime) {  // S18, Q09
  for (const Shutdown shutdown : {Shutdown::after(std::chrono::milliseconds(20)), Shutdown::brutal()}) {
    SandboxSpec spec = counter(testing::unique_id("stubborn"));
    spec.modules[0].source =
        Source::wat(R"((module (func (export "petri_terminate") (result i32) (loop $l (br $l)) (i32.const 0))))");
    spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "c", .module = "counter", .shutdown = shutdown}}};
    Sandbox sandbox = create(spec);
    ASSERT_TRUE(sandbox.stop());
    EXPECT_EQ(sandbox.usage().processes, 0U);
  }
}

TEST_F(SupervisionTest, StartsAndStopsChildrenOfALiveTree) {  // S24
  Sandbox sandbox = create(counter());
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "more", .module = "counter"}));
  EXPECT_EQ(next(sandbox, "more"), 1);
  EXPECT_EQ(sandbox.start_child(ChildSpec{.id = "more", .module = "counter"}).error().code, ErrorCode::already_exists);
  EXPECT_EQ(sandbox.start_child(ChildSpec{.id = "x", .module = "ghost"}).error().code, ErrorCode::validation_failed);
  ASSERT_TRUE(sandbox.stop_child("more"));
  EXPECT_EQ(sandbox.usage().processes, 1U);
  EXPECT_EQ(sandbox.stop_child("ghost").error().code, ErrorCode::not_found);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

// S24: nobody waits for one that will not come.
TEST_F(SupervisionTest, AnswersWhoeverAsksForAChildThatIsStoppedOrHasLeft) {
  SandboxSpec spec = tree(Strategy::one_for_one, {"a", "b"});
  spec.tree->children.emplace_back(ChildSpec{.id = "leaver", .module = "counter", .restart = RestartType::transient});
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.stop_child("b"));
  EXPECT_EQ(call(sandbox, "next", "b").error().code, ErrorCode::not_found);
  EXPECT_EQ(sandbox.send("x", "b").error().code, ErrorCode::not_found);
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {0}, {.process = "leaver"}), OutcomeKind::exited), "");
  expect_soon([&] { return testing::not_error(call(sandbox, "next", "leaver"), ErrorCode::not_found); });
  EXPECT_EQ(next(sandbox, "a"), 1);
}

TEST_F(SupervisionTest, UpdatesATreeAndKeepsWhatIsTheSame) {  // S25
  Sandbox sandbox = create(tree(Strategy::one_for_one, {"a", "b"}));
  EXPECT_EQ(next(sandbox, "a"), 1);
  ASSERT_TRUE(sandbox.update_tree(*tree(Strategy::one_for_one, {"a", "c"}).tree));
  EXPECT_EQ(next(sandbox, "a"), 2);
  EXPECT_EQ(next(sandbox, "c"), 1);
  EXPECT_EQ(call(sandbox, "next", "b").error().code, ErrorCode::not_found);
  EXPECT_EQ(sandbox.info().tree, *tree(Strategy::one_for_one, {"a", "c"}).tree);
}

TEST_F(SupervisionTest, RunsNestedSupervisors) {  // S15
  SandboxSpec spec = counter();
  spec.tree = SupervisorSpec{.intensity = 3,
                             .children = {ChildSpec{.id = "a", .module = "counter"},
                                          SupervisorSpec{.id = "pool",
                                                         .strategy = Strategy::one_for_all,
                                                         .intensity = 0,
                                                         .children = {ChildSpec{.id = "x", .module = "counter"},
                                                                      ChildSpec{.id = "y", .module = "counter"}}}}};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(next(sandbox, "a"), 1);
  EXPECT_EQ(next(sandbox, "pool/y"), 1);
  crash(sandbox, "pool/x");
  expect_soon([&] { return next(sandbox, "pool/y") == 1 ? "" : "not restarted"; });
  EXPECT_EQ(next(sandbox, "a"), 2);
}

TEST_F(SupervisionTest, SpawnsChildrenThatGuestsAskFor) {  // S19, Q08
  SandboxSpec spec = counter();
  spec.modules.push_back({"mother", Source::wat(R"json((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"counter\"}")
    (data (i32.const 100) "kid")
    (data (i32.const 200) "{\"id\":\"late\",\"module\":\"counter\"}")
    (func (export "spawn") (result i32) (call $spawn (i32.const 0) (i32.const 31)))
    (func (export "late") (result i32) (call $spawn (i32.const 200) (i32.const 32)))
    (func (export "bad") (result i32) (call $spawn (i32.const 0) (i32.const 30)))
    (func (export "stop") (result i32) (call $stop (i32.const 100) (i32.const 3)))))json")});
  spec.limits = {.processes_max = 3};
  Sandbox sandbox = create(spec);
  const auto ask = [&](std::string_view function) {
    const auto outcome = call(sandbox, function, "mother");
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : 99;
  };
  EXPECT_EQ(ask("spawn"), 0);
  EXPECT_EQ(next(sandbox, "kid"), 1);
  EXPECT_EQ(sandbox.usage().processes, 3U);
  EXPECT_EQ(ask("spawn"), static_cast<int>(GuestError::already_exists));
  EXPECT_EQ(ask("bad"), static_cast<int>(GuestError::invalid));
  EXPECT_EQ(ask("late"), static_cast<int>(GuestError::limit_exceeded));
  EXPECT_EQ(ask("stop"), 0);
  EXPECT_EQ(ask("stop"), static_cast<int>(GuestError::not_found));
  EXPECT_EQ(ask("late"), 0);
  EXPECT_EQ(sandbox.info().limits_met["processes_max"], 1U);
}

// How long it takes is measured in measures_test.cpp.
TEST_F(SupervisionTest, SurvivesACrashStorm) {
  constexpr int kChildren = 1'000;
  SandboxSpec spec = tree(Strategy::one_for_one, {}, kChildren);
  // A page each, and threads that handle them meanwhile, which are on the account too.
  spec.limits = {.memory_bytes_max = 1 << 30, .processes_max = kChildren};
  for (int i = 0; i < kChildren; ++i) {
    spec.tree->children.emplace_back(ChildSpec{.id = "c" + std::to_string(i), .module = "counter"});
  }
  Sandbox sandbox = create(spec);
  auto slow =
      *runtime_->subscribe({.kinds = {EventKind::process_exited, EventKind::process_restarted}, .queue_max = 100});
  std::atomic<int> crashed{0};
  for (int i = 0; i < kChildren; ++i) {
    const auto asked = sandbox.call_async("crash", {}, {.process = "c" + std::to_string(i)},
                                          [&](const Result<Outcome>&) { ++crashed; });
    ASSERT_TRUE(asked) << i << ": " << asked.error().message;
  }
  expect_restarts(sandbox, kChildren);
  // A caller learns about the crash beside the restart, not before it.
  expect_soon([&] { return crashed == kChildren ? std::string() : std::to_string(crashed) + " crashes told"; });
  EXPECT_EQ(sandbox.usage().processes, 1'000U);
  EXPECT_EQ(sandbox.usage().memory_bytes, kChildren * 65'536U) << "of those that crashed nothing is left";
  EXPECT_EQ(next(sandbox, "c77"), 1);
  EXPECT_EQ(names(slow).size(), 100U) << "whoever does not read keeps no more than it asked for";
  EXPECT_EQ(slow.lost(), 2U * kChildren - 100);
  EXPECT_LE(runtime_->audit({.sandbox = "a"}).entries.size(), 2U * kChildren);
}

}  // namespace
}  // namespace petri
