// Ends are bounded by the host: no guest, and no child spec of a guest, can lengthen stop, destroy, restart, cancel or
// the end of the runtime. Guests here may run for five minutes, and none of them wants to end; kEndsSoon is generous.
#include <chrono>
#include <future>
#include <mutex>

#include "ends_fixture.h"

namespace petri {
namespace {

using ::testing::IsSupersetOf;
using namespace std::chrono_literals;

INSTANTIATE_TEST_SUITE_P(BothTiers, EndsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// ---- stop, restart and destroy --------------------------------------------------------------------------------

TEST_P(EndsTest, CapsWhatSpawnedChildrenAskForWhenTheSandboxIsDestroyed) {
  Sandbox sandbox = create(spec(kUndying));
  ASSERT_EQ(testing::not_value(sandbox.call("go", {Value(10)}), Value(0)), "");
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, CapsItWhenTheSandboxIsStoppedAndRestarted) {
  Sandbox sandbox = create(spec(kUndying));
  ASSERT_EQ(testing::not_value(sandbox.call("go", {Value(10)}), Value(0)), "");
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.restart()); }), "");
  EXPECT_EQ(next(sandbox), 1);
  ASSERT_EQ(testing::not_value(sandbox.call("go", {Value(10)}), Value(0)), "");
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.stop()); }), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, CapsWhatTheSpecOfTheSandboxAsksFor) {
  SandboxSpec wanted = spec(kUndying);
  wanted.tree = undying_children(10);
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, CapsNestedSupervisors) {
  SandboxSpec wanted = spec(kUndying);
  SupervisorSpec inner = undying_children(3);
  for (int depth = 0; depth < 5; ++depth) {
    inner.id = "s" + std::to_string(depth);
    SupervisorSpec outer = undying_children(2);
    outer.children.emplace_back(std::move(inner));
    inner = std::move(outer);
  }
  wanted.tree = inner;
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.stop()); }), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, LeavesTheChildrenOfTheSpecTimeThatSpawnedOnesCannotUseUp) {
  std::vector<std::string> ended;
  std::mutex mutex;
  SandboxSpec wanted = spec(kUndying);
  wanted.limits.shutdown_max = std::chrono::milliseconds(kPoliteMs);
  wanted.modules.push_back({"polite", Source::wat(std::string(kPolite))});
  wanted.tree = SupervisorSpec{.children = {ChildSpec{.id = "polite", .module = "polite"},
                                            ChildSpec{.id = "m", .module = "m", .shutdown = Shutdown::brutal()}}};
  wanted.on_log = [&](std::string_view process, LogLevel, std::string_view) {
    const std::lock_guard lock(mutex);
    ended.emplace_back(process);
  };
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(testing::not_value(sandbox.call("go", {Value(10)}, {.process = "m"}), Value(0)), "");
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  EXPECT_THAT(ended, ::testing::ElementsAre("polite"));
}

// One after the other the last that was spawned would use up the time of all others.
TEST_P(EndsTest, EndsSpawnedChildrenBesideOneAnother) {
  std::vector<std::string> ended;
  std::mutex mutex;
  SandboxSpec wanted = spec(kPolite);
  wanted.limits.shutdown_max = std::chrono::milliseconds(kPoliteMs);
  wanted.modules.push_back({"undying", Source::wat(std::string(kUndying))});
  wanted.modules.push_back({"mother", Source::wat(R"json((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 0) "{\"id\":\"a\",\"module\":\"m\"}")
    (data (i32.const 100) "{\"id\":\"b\",\"module\":\"m\"}")
    (data (i32.const 200) "{\"id\":\"last\",\"module\":\"undying\",\"shutdown\":\"infinity\"}")
    (func (export "go") (result i32)
      (i32.or (call $spawn (i32.const 0) (i32.const 23))
        (i32.or (call $spawn (i32.const 100) (i32.const 23)) (call $spawn (i32.const 200) (i32.const 54)))))))json")});
  wanted.tree = SupervisorSpec{.children = {ChildSpec{.id = "mother", .module = "mother"}}};
  wanted.on_log = [&](std::string_view process, LogLevel, std::string_view) {
    const std::lock_guard lock(mutex);
    ended.emplace_back(process);
  };
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(testing::not_value(sandbox.call("go", {}, {.process = "mother"}), Value(0)), "");
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  EXPECT_THAT(ended, IsSupersetOf({"a", "b"}));
}

TEST_P(EndsTest, KillsAtOnceWhenThereIsNoTime) {
  SandboxSpec wanted = spec(kUndying);
  wanted.limits.shutdown_max = std::chrono::nanoseconds(0);
  wanted.tree = undying_children(10);
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, FollowsALimitThatIsChangedWhileItRuns) {
  SandboxSpec wanted = spec(kUndying);
  wanted.limits.shutdown_max = std::chrono::hours(1);
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(sandbox.info().limits.shutdown_max, std::chrono::hours(1));
  ASSERT_TRUE(sandbox.update_limits({.shutdown_max = std::chrono::milliseconds(kShutdownMs)}));
  EXPECT_EQ(destroy_not_soon(sandbox), "");
}

TEST_P(EndsTest, BoundsTheEndOfASingleChild) {
  SandboxSpec wanted = spec(kUndying);
  wanted.tree = undying_children(3);
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.stop_child("c1")); }), "");
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.update_tree(undying_children(1))); }), "");
  EXPECT_EQ(sandbox.usage().processes, 1U);
}

// ---- what guests do in petri_terminate ------------------------------------------------------------------------

TEST_P(EndsTest, EndsGuestsThatCallSpawnOrWaitWhenTheyAreToEnd) {
  const std::string calls =
      with_terminate(R"((import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32))))",
                     "(drop (call $call (i32.const 100) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 0)))");
  const std::string calls_with_time = with_terminate(
      R"((import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32))))",
      "(drop (call $call (i32.const 100) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 100000000)))");
  const std::string spawns = with_terminate(R"((import "petri" "spawn" (func $spawn (param i32 i32) (result i32))))",
                                            "(loop $l (drop (call $spawn (i32.const 0) (i32.const 47))) (br $l))");
  const std::string stops = with_terminate(R"((import "petri" "stop" (func $stop (param i32 i32) (result i32))))",
                                           "(loop $l (drop (call $stop (i32.const 100) (i32.const 5))) (br $l))");
  const std::string sends =
      with_terminate(R"((import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32))))",
                     "(loop $l (drop (call $send (i32.const 100) (i32.const 5) (i32.const 0) (i32.const 4))) (br $l))");
  for (const std::string& guest : {calls, calls_with_time, spawns, stops, sends}) {
    SandboxSpec wanted = spec(guest);
    wanted.tree = SupervisorSpec{.children = {ChildSpec{.id = "other", .module = "m", .shutdown = Shutdown::infinity()},
                                              ChildSpec{.id = "one", .module = "m", .shutdown = Shutdown::infinity()}}};
    Sandbox sandbox = create(wanted);
    EXPECT_EQ(destroy_not_soon(sandbox), "") << guest;
    expect_nothing_runs(sandbox);
  }
}

TEST_P(EndsTest, EndsADeterministicSandbox) {
  SandboxSpec wanted = spec(kUndying);
  wanted.deterministic = true;
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(testing::not_value(sandbox.call("go", {Value(10)}), Value(0)), "");
  auto spinning = std::async(std::launch::async, [&] { return call(sandbox, "spin", "m"); });
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  expect_nothing_runs(sandbox);
  spinning.wait();
}

// ---- while something else is done to it -----------------------------------------------------------------------

TEST_P(EndsTest, EndsWhatNeverComesToTheEndOfItsStart) {
  for (const bool destroys : {true, false}) {
    SandboxSpec wanted = spec("(module (func $s (loop $x (br $x))) (start $s))");
    const std::string id = wanted.id;
    const testing::Pending creating([&] { return runtime_->create_sandbox(wanted); });
    expect_soon([&] {
      const auto info = runtime_->info(id);
      return info && info->status == SandboxStatus::starting ? "" : "does not start yet";
    });
    EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(id) : runtime_->stop(id)); }), "");
    EXPECT_EQ(testing::not_error(creating.wait(), ErrorCode::cancelled), "");
    if (!destroys) {
      EXPECT_EQ(runtime_->info(id)->status, SandboxStatus::stopped);
    }
  }
}

// The second version starts without petri_init, and never comes to its end when it is started again.
TEST_P(EndsTest, EndsARestartThatNeverComesToItsEnd) {
  for (const bool destroys : {true, false}) {
    Sandbox sandbox = create(spec(R"((module (func (export "petri_handle") (result i32) (i32.const 0))))"));
    ASSERT_TRUE(sandbox.reload("m", Source::wat(R"((module (func (export "petri_handle") (result i32) (i32.const 0))
      (func (export "petri_init") (result i32) (loop $x (br $x)) (i32.const 0))))")));
    const testing::Pending restarting([&] { return sandbox.restart(); });
    expect_status(sandbox, SandboxStatus::starting);
    EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(sandbox.id()) : sandbox.stop()); }), "");
    EXPECT_EQ(testing::not_error(restarting.wait(), ErrorCode::cancelled), "");
    EXPECT_EQ(sandbox.usage().processes, 0U);  // memory has what a rollback would need
  }
}

// Nothing is started for one that is to be ended, however the two meet.
TEST_P(EndsTest, DoesNotStartAgainWhatIsDestroyedWhileItIsRestarted) {
  SandboxSpec wanted = spec(kUndying);
  wanted.limits.shutdown_max = std::chrono::milliseconds(250);
  Sandbox sandbox = create(wanted);
  const testing::Pending restarting([&] { return sandbox.restart(); });
  expect_status(sandbox, SandboxStatus::stopping);
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  EXPECT_EQ(testing::not_error(restarting.wait(), ErrorCode::cancelled), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, EndsASandboxThatIsBeingReloaded) {
  for (const bool rolling : {false, true}) {
    for (const bool destroys : {true, false}) {
      Sandbox sandbox = create(spec(kUndying));
      auto spinning = spin(sandbox);
      const ReloadPolicy policy{.rolling = rolling, .quiet_wait_max = 10min};
      std::string other(kUndying);
      other.insert(other.rfind(')'), "(func (export \"more\"))");
      const testing::Pending reloading([&] { return sandbox.reload("m", Source::wat(other), {.policy = policy}); });
      expect_status(sandbox, SandboxStatus::reloading);
      EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(sandbox.id()) : sandbox.stop()); }), "");
      static_cast<void>(reloading.wait());
      EXPECT_TRUE(reloading.done());
      EXPECT_EQ(spinning.wait_for(kEndsSoon), std::future_status::ready);
      expect_nothing_runs(sandbox);
    }
  }
}

TEST_P(EndsTest, EndsAReloadToCodeThatNeverComesToTheEndOfItsStart) {
  for (const bool rolling : {false, true}) {
    Sandbox sandbox = create(spec(R"((module (func (export "petri_handle") (result i32) (i32.const 0))))"));
    const ReloadPolicy policy{.rolling = rolling, .quiet_wait_max = 10min};
    const testing::Pending reloading([&] {
      return sandbox.reload("m", Source::wat(R"((module (func (export "petri_handle") (result i32) (i32.const 0))
        (memory 1) (func $s (loop $x (br $x))) (start $s)))"),
                            {.policy = policy});
    });
    expect_status(sandbox, SandboxStatus::reloading);
    EXPECT_EQ(destroy_not_soon(sandbox), "") << rolling;
    EXPECT_FALSE(reloading.wait());
    expect_nothing_runs(sandbox);
  }
}

TEST_P(EndsTest, EndsARestartThatWaitsForAGuestToSaveItsState) {
  SandboxSpec wanted = spec(R"((module (func (export "petri_handle") (result i32) (i32.const 0))
    (func (export "petri_save") (result i32) (loop $x (br $x)) (i32.const 0))
    (func (export "petri_load") (result i32) (i32.const 0))))");
  wanted.reload = ReloadPolicy{.state = StateWay::hooks, .quiet_wait_max = 10min};
  for (const bool destroys : {true, false}) {
    wanted.id = testing::unique_id("end");
    Sandbox sandbox = create(wanted);
    const testing::Pending restarting([&] { return sandbox.restart({.keep_state = true}); });
    expect_status(sandbox, SandboxStatus::reloading);
    EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(sandbox.id()) : sandbox.stop()); }), "");
    EXPECT_FALSE(restarting.wait());
    expect_nothing_runs(sandbox);
  }
}

TEST_P(EndsTest, EndsARestartStorm) {
  SandboxSpec wanted = spec(R"((module (func (export "crash") unreachable)
    (func (export "petri_handle") (result i32) unreachable)))");
  wanted.tree = SupervisorSpec{.intensity = 1'000'000, .period = std::chrono::hours(1)};
  for (int i = 0; i < 20; ++i) {
    wanted.tree->children.emplace_back(
        ChildSpec{.id = "c" + std::to_string(i), .module = "m", .shutdown = Shutdown::infinity()});
  }
  Sandbox sandbox = create(wanted);
  for (int i = 0; i < 20; ++i) {
    for (int sent = 0; sent < 500; ++sent) ASSERT_TRUE(sandbox.send("x", "c" + std::to_string(i)));
  }
  expect_soon([&] { return sandbox.info().supervisor_restarts > 50 ? "" : "no storm yet"; });
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  expect_nothing_runs(sandbox);
}

TEST_P(EndsTest, EndsRunsWithTheSandbox) {
  Sandbox sandbox = create(spec(kUndying));
  auto events = *runtime_->subscribe({.kinds = {EventKind::run_start}});
  const testing::Pending running([&] { return sandbox.run("m", "spin"); });
  ASSERT_NE(events.wait_until(std::chrono::steady_clock::now() + 30s), nullptr);
  EXPECT_EQ(destroy_not_soon(sandbox), "");
  // One whose code was still being compiled was never entered: an error, not an outcome.
  const Result<Outcome> ended = running.wait(kEndsSoon);
  EXPECT_EQ(ended ? testing::not_kind(ended, OutcomeKind::cancelled) : testing::not_error(ended, ErrorCode::cancelled),
            "");
}

TEST_P(EndsTest, EndsGuestsThatSleepInTheHost) {
  for (const bool destroys : {true, false}) {
    Sandbox sandbox = create(spec(kEndlessSleeper));
    auto sleeping = spin(sandbox);
    EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(sandbox.id()) : sandbox.stop()); }), "");
    EXPECT_EQ(sleeping.wait_for(kEndsSoon), std::future_status::ready);
    expect_nothing_runs(sandbox);
  }
}

}  // namespace
}  // namespace petri
