// Ends are bounded by the host: no guest, and no child spec of a guest, can lengthen stop, destroy, restart, cancel or
// the end of the runtime. Guests here may run for five minutes, and none of them wants to end; kEndsSoon is generous.
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::IsSupersetOf;
using namespace std::chrono_literals;

constexpr auto kEndsSoon = 5s;
constexpr std::uint64_t kShutdownMs = 25;
constexpr std::uint64_t kPoliteMs = 500;  // enough for those that end when they are asked, on a busy machine too

// `go` spawns children like itself that ask for all the time in the world; none of them ends when asked to.
constexpr std::string_view kUndying = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"id\":\"k00\",\"module\":\"m\",\"shutdown\":\"infinity\"}")
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32) (loop $x (br $x)) (i32.const 0))
  (func (export "spin") (loop $x (br $x)))
  (func (export "next") (result i32) (i32.const 1))
  (func (export "go") (param $n i32) (result i32) (local $i i32) (local $r i32)
    (loop $l
      (i32.store8 (i32.const 8) (i32.add (i32.const 48) (i32.div_u (local.get $i) (i32.const 10))))
      (i32.store8 (i32.const 9) (i32.add (i32.const 48) (i32.rem_u (local.get $i) (i32.const 10))))
      (local.set $r (i32.add (local.get $r) (call $spawn (i32.const 0) (i32.const 47))))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $r))))";

// Says "end" when it is asked to end, and ends.
constexpr std::string_view kPolite = R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "end")
  (func (export "petri_terminate") (result i32)
    (drop (call $log (i32.const 2) (i32.const 0) (i32.const 3))) (i32.const 0))))";

std::string with_terminate(std::string_view imports, std::string_view terminate) {
  return "(module " + std::string(imports) + R"( (memory 1)
    (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"m\",\"shutdown\":\"infinity\"}") (data (i32.const 100) "other")
    (func (export "petri_handle") (result i32) (loop $x (br $x)) (i32.const 0))
    (func (export "petri_terminate") (result i32) )" +
         std::string(terminate) + "(i32.const 0)))";
}

class EndsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  static SandboxSpec spec(std::string_view wat, std::string id = testing::unique_id("end")) {
    SandboxSpec spec{.id = std::move(id), .modules = {{"m", Source::wat(std::string(wat))}}, .tier = GetParam()};
    spec.limits = {.shutdown_max = std::chrono::milliseconds(kShutdownMs)};
    return spec;
  }
  // Says if the act was not done soon enough.
  static std::string not_soon(const std::function<void()>& act, std::chrono::nanoseconds soon = kEndsSoon) {
    const auto start = std::chrono::steady_clock::now();
    act();
    const auto took = std::chrono::steady_clock::now() - start;
    if (took < soon) return "";
    return "took " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) + " ms";
  }
  std::string destroy_not_soon(const Sandbox& sandbox) {
    return not_soon([&] { EXPECT_TRUE(runtime_->destroy(sandbox.id())); });
  }
  void expect_nothing_runs(const Sandbox& sandbox) {
    EXPECT_EQ(sandbox.usage().processes, 0U);
    EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  }
  // A call that has started and never ends by itself.
  std::future<Result<Outcome>> spin(Sandbox& sandbox, const std::string& function = "spin",
                                    const std::string& process = "m", std::uint64_t* number = nullptr) {
    auto result = std::make_shared<std::promise<Result<Outcome>>>();
    const auto called = sandbox.call_async(function, {}, {.process = process},
                                           [result](const Result<Outcome>& how) { result->set_value(how); });
    EXPECT_TRUE(called);
    if (number != nullptr) *number = called.value_or(0);
    expect_soon([&] { return sandbox.usage().messages == 0 ? "" : "it has not begun"; });
    return result->get_future();
  }
  static SupervisorSpec undying_children(int count) {
    SupervisorSpec tree;
    for (int i = 0; i < count; ++i) {
      tree.children.emplace_back(
          ChildSpec{.id = "c" + std::to_string(i), .module = "m", .shutdown = Shutdown::infinity()});
    }
    return tree;
  }
};

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

// Stop, destroy and cancel waited for the end of the nap. The permission to look at the clock is the
// guest's; nobody but the host can wake it.
constexpr std::string_view kEndlessSleeper = R"((module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $nap (i64.store (i32.const 24) (i64.const 100000000000))
    (drop (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200))))
  (func (export "spin") (call $nap))
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32) (call $nap) (i32.const 0))))";

TEST_P(EndsTest, EndsGuestsThatSleepInTheHost) {
  for (const bool destroys : {true, false}) {
    Sandbox sandbox = create(spec(kEndlessSleeper));
    auto sleeping = spin(sandbox);
    EXPECT_EQ(not_soon([&] { EXPECT_TRUE(destroys ? runtime_->destroy(sandbox.id()) : sandbox.stop()); }), "");
    EXPECT_EQ(sleeping.wait_for(kEndsSoon), std::future_status::ready);
    expect_nothing_runs(sandbox);
  }
}

// ---- many at once ---------------------------------------------------------------------------------------------

TEST_P(EndsTest, EndsARuntimeFullOfGuestsThatDoNotWantTo) {
  std::vector<Sandbox> sandboxes;
  for (int i = 0; i < 20; ++i) {
    sandboxes.push_back(create(spec(kUndying)));
    ASSERT_EQ(testing::not_value(sandboxes.back().call("go", {Value(3)}), Value(0)), "");
  }
  for (Sandbox& sandbox : sandboxes) {
    for (const std::string process : {"m", "k01"}) {
      ASSERT_TRUE(sandbox.call_async("spin", {}, {.process = process}, [](const Result<Outcome>&) {}));
    }
  }
  EXPECT_EQ(not_soon([&] { runtime_.reset(); }, 20s), "");
}

TEST_P(EndsTest, EndsAHundredAtOnce) {
  std::vector<Sandbox> sandboxes;
  for (int i = 0; i < 100; ++i) {
    sandboxes.push_back(create(spec(kUndying)));
    ASSERT_TRUE(sandboxes.back().call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  }
  EXPECT_EQ(
      not_soon(
          [&] {
            std::vector<std::future<void>> ends;
            for (const Sandbox& sandbox : sandboxes) {
              ends.push_back(std::async(std::launch::async, [&] { EXPECT_TRUE(runtime_->destroy(sandbox.id())); }));
            }
          },
          20s),
      "");
  for (const Sandbox& sandbox : sandboxes) expect_nothing_runs(sandbox);
}

// ---- cancel ---------------------------------------------------------------------------------------------------

class CancelTest : public EndsTest {
 protected:
  // Calls and cancels; what became of the call.
  Result<Outcome> cancelled(Sandbox& sandbox, const std::string& function, const std::string& process) {
    std::uint64_t number = 0;
    auto result = spin(sandbox, function, process, &number);
    EXPECT_TRUE(sandbox.cancel(number));
    if (result.wait_for(kEndsSoon) != std::future_status::ready) return fail(ErrorCode::timeout, "it goes on");
    return result.get();
  }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, CancelTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// A caller of a caller of one that never answers, with and without a time-out of its own.
constexpr std::string_view kCallsForEver = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "second") (data (i32.const 10) "deaf") (data (i32.const 20) "first")
  (func (export "spin") (loop $x (br $x)))
  (func (export "through") (drop (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0))))
  (func (export "patient") (loop $l
    (drop (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 100000000))) (br $l)))
  (func (export "petri_handle") (result i32)
    (drop (call $call (i32.const 10) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0))) (i32.const 0))))";
constexpr std::string_view kDeaf =
    R"((module (func (export "petri_handle") (result i32) (loop $x (br $x)) (i32.const 0))))";

TEST_P(CancelTest, EndsACallThatWaitsForOthers) {
  for (const std::string function : {"spin", "through", "patient"}) {
    SandboxSpec wanted = spec(kCallsForEver);
    wanted.modules.push_back({"deaf", Source::wat(std::string(kDeaf))});
    wanted.tree =
        SupervisorSpec{.intensity = 100,
                       .children = {ChildSpec{.id = "deaf", .module = "deaf"}, ChildSpec{.id = "second", .module = "m"},
                                    ChildSpec{.id = "first", .module = "m"}}};
    Sandbox sandbox = create(wanted);
    EXPECT_EQ(testing::not_kind(cancelled(sandbox, function, "first"), OutcomeKind::cancelled), "") << function;
    EXPECT_EQ(destroy_not_soon(sandbox), "");
  }
}

constexpr std::string_view kDeafAtWork = R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32)
    (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))) (loop $x (br $x)) (i32.const 0))))";

// The callee once continued until its own limit.
TEST_P(CancelTest, EndsWhatAnotherGuestDoesForTheCall) {
  for (const std::string timeout : {"0", "100000000"}) {
    std::atomic<bool> at_work{false};
    SandboxSpec wanted = spec(R"((module (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 0) "deaf")
      (func (export "ask")
        (drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const )" +
                              timeout + R"())))))");
    wanted.modules.push_back({"deaf", Source::wat(std::string(kDeafAtWork))});
    wanted.on_log = [&](std::string_view, LogLevel, std::string_view) { at_work = true; };
    wanted.tree = SupervisorSpec{
        .intensity = 100, .children = {ChildSpec{.id = "deaf", .module = "deaf"}, ChildSpec{.id = "m", .module = "m"}}};
    Sandbox sandbox = create(wanted);
    const auto number = sandbox.call_async("ask", {}, {.process = "m"}, [](const Result<Outcome>&) {});
    ASSERT_TRUE(number);
    expect_soon([&] { return at_work ? "" : "the callee has not begun"; });
    EXPECT_TRUE(sandbox.cancel(*number));
    expect_restarts(sandbox, 2);
    EXPECT_EQ(destroy_not_soon(sandbox), "");
  }
}

TEST_P(CancelTest, EndsACallThatSleepsInTheHost) {
  Sandbox sandbox = create(spec(kEndlessSleeper));
  EXPECT_EQ(testing::not_kind(cancelled(sandbox, "spin", "m"), OutcomeKind::cancelled), "");
}

TEST_P(CancelTest, EndsACallThatHasNotStarted) {
  Sandbox sandbox = create(spec(kUndying));
  ASSERT_TRUE(sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  auto queued = std::make_shared<std::promise<Result<Outcome>>>();
  auto future = queued->get_future();
  const auto number =
      sandbox.call_async("next", {}, {}, [queued](const Result<Outcome>& how) { queued->set_value(how); });
  ASSERT_TRUE(number);
  ASSERT_TRUE(sandbox.cancel(*number));
  ASSERT_EQ(future.wait_for(kEndsSoon), std::future_status::ready);
  EXPECT_EQ(testing::not_error(future.get(), ErrorCode::cancelled), "");
}

// Calls that were put aside behind a hundred others are not waited for.
TEST_P(CancelTest, EndsACallBesideAHundredThatBurn) {
  std::vector<Sandbox> burning;
  for (int i = 0; i < 100; ++i) burning.push_back(create(spec(kUndying)));
  Sandbox sandbox = create(spec(kUndying));
  for (Sandbox& burner : burning) ASSERT_TRUE(burner.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  EXPECT_EQ(testing::not_kind(cancelled(sandbox, "spin", "m"), OutcomeKind::cancelled), "");
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.restart()); }), "");
}

// R09: of a run, and of a live process that is started again each time.
TEST(ExitTest, HasTheSameKindAndCodeEachTime) {
  constexpr int kTimes = 10'000;
  const auto runtime = *Runtime::create(without_containment());
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec{.id = std::string(name_of(tier)),
                     .modules = {{"m", Source::wat(R"((module
      (import "petri" "exit" (func $exit (param i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
      (func (export "exit") (param i32) (call $exit (local.get 0)) unreachable)
      (func (export "proc_exit") (param i32) (call $proc_exit (local.get 0)) unreachable)))")}},
                     .tier = tier};
    spec.tree = SupervisorSpec{.intensity = 3 * kTimes, .children = {ChildSpec{.id = "m", .module = "m"}}};
    Sandbox sandbox = *runtime->create_sandbox(spec);
    for (const std::string_view function : {"exit", "proc_exit"}) {
      int same = 0;
      for (int i = 0; i < kTimes; ++i) {
        // A run compiles its module anew; a process that is restarted does not.
        const auto outcome = tier == Tier::interpreted ? sandbox.run("m", function, {3}) : sandbox.call(function, {3});
        same += outcome && outcome->kind == OutcomeKind::exited && outcome->exit_code == 3 ? 1 : 0;
      }
      EXPECT_EQ(same, kTimes) << function << " " << name_of(tier);
    }
  }
}

}  // namespace
}  // namespace petri
