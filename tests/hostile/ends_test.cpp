// Family F, ends: guests that do not want to end, whatever asks them to and whatever they are doing.
#include <future>

#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

class HostileEnds : public HostileFixture {
 protected:
  HostileEnds() { busy_ends_ = true; }

  static constexpr std::uint64_t kShutdown = 50'000'000;  // nanoseconds
  static LimitChanges limits() {
    return {.execution_time_max = std::chrono::minutes(5), .shutdown_max = std::chrono::nanoseconds(kShutdown)};
  }
  SandboxSpec undying_spec(std::string_view wat) {
    SandboxSpec spec = hostile_spec(wat, limits());
    spec.tree = SupervisorSpec{.intensity = 1'000'000,
                               .children = {ChildSpec{.id = "m", .module = "m", .shutdown = Shutdown::infinity()}}};
    return spec;
  }
  // A call that has started and never ends by itself.
  void spin(Sandbox& sandbox, const std::string& process = "m") {
    EXPECT_TRUE(sandbox.call_async("spin", {}, {.process = process}, [](const Result<Outcome>&) {}));
  }
};
PETRI_HOSTILE_IN_BOTH_TIERS(HostileEnds);

constexpr std::string_view kUndying = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"id\":\"k0\",\"module\":\"m\",\"shutdown\":\"infinity\"}")
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32) (loop $x (br $x)) (i32.const 0))
  (func (export "spin") (loop $x (br $x)))
  (func (export "go") (param $n i32) (result i32) (local $i i32) (local $r i32)
    (loop $l
      (i32.store8 (i32.const 8) (i32.add (i32.const 48) (local.get $i)))
      (local.set $r (i32.or (local.get $r) (call $spawn (i32.const 0) (i32.const 46))))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $r))))";

TEST_P(HostileEnds, SpawnsChildrenThatAskForAllTheTimeInTheWorld) {
  covers("F19");
  Sandbox sandbox = create(undying_spec(kUndying));
  EXPECT_EQ(number(sandbox.call("go", {Value(10)}, {.process = "m"})), 0);
  spin(sandbox, "k3");
  destroy(sandbox.id());
  EXPECT_EQ(sandbox.usage().processes, 0U);
}

TEST_P(HostileEnds, NeverEndsInNestedSupervisors) {
  covers("F18 F19");
  SandboxSpec spec = undying_spec(kUndying);
  for (int depth = 0; depth < 4; ++depth) {
    SupervisorSpec inner = *spec.tree;
    inner.id = "s" + std::to_string(depth);
    spec.tree->children.emplace_back(std::move(inner));
  }
  Sandbox sandbox = create(spec);
  destroy(sandbox.id());
  EXPECT_EQ(sandbox.usage().processes, 0U);
}

TEST_P(HostileEnds, NeverComesToTheEndOfItsStart) {
  covers("A10 F19");
  const SandboxSpec spec = undying_spec("(module (func $s (loop $x (br $x))) (start $s))");
  auto creating = std::async(std::launch::async, [&] { return runtime_->create_sandbox(spec); });
  expect_soon([&] { return runtime_->info(spec.id) ? "" : "not there yet"; });
  destroy(spec.id);
  EXPECT_FALSE(creating.get());
}

TEST_P(HostileEnds, NeverComesToTheEndOfAReloadOrARestart) {
  covers("F19");
  for (const bool rolling : {false, true}) {
    Sandbox sandbox = create(undying_spec(kUndying));
    spin(sandbox);
    std::string other(kUndying);
    other.insert(other.rfind(')'), "(func $s (loop $x (br $x))) (start $s)");
    // With state the memory would be carried, and the start would not run.
    const ReloadPolicy policy{.state = StateWay::none, .rolling = rolling, .quiet_wait_max = 5min};
    auto reloading =
        std::async(std::launch::async, [&] { return sandbox.reload("m", Source::wat(other), {.policy = policy}); });
    expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "does not reload yet"; });
    auto restarting = std::async(std::launch::async, [&] { return sandbox.restart(); });
    destroy(sandbox.id());
    EXPECT_FALSE(reloading.get());
    static_cast<void>(restarting.get());
  }
}

// The new code is tried though nothing runs, and nothing that runs is ended.
TEST_P(HostileEnds, NeverComesToTheEndOfAReloadWhileItIsStopped) {
  covers("F19");
  Sandbox sandbox = create(undying_spec(kUndying));
  ASSERT_TRUE(sandbox.stop());
  std::string other(kUndying);
  other.insert(other.rfind(')'), "(func $s (loop $x (br $x))) (start $s)");
  const ReloadPolicy policy{.state = StateWay::none, .quiet_wait_max = 30s};
  auto reloading =
      std::async(std::launch::async, [&] { return sandbox.reload("m", Source::wat(other), {.policy = policy}); });
  expect_soon([&] { return sandbox.usage().memory_bytes > 0 ? "" : "has not started yet"; });
  destroy(sandbox.id());
  const auto reloaded = reloading.get();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::cancelled);
  EXPECT_EQ(reloaded.error().message, "the sandbox is being ended");
}

TEST_P(HostileEnds, CallsAndSpawnsWhenItIsToEnd) {
  covers("F19");
  for (const std::string terminate :
       {"(drop (call $call (i32.const 100) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 0)))",
        "(loop $l (drop (call $spawn (i32.const 0) (i32.const 46))) (br $l))",
        "(loop $l (drop (call $stop (i32.const 100) (i32.const 5))) (br $l))"}) {
    SandboxSpec spec = undying_spec(R"((module
      (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
      (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
      (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 100) "other")
      (data (i32.const 0) "{\"id\":\"k0\",\"module\":\"m\",\"shutdown\":\"infinity\"}")
      (func (export "petri_handle") (result i32) (loop $x (br $x)) (i32.const 0))
      (func (export "petri_terminate") (result i32) )" +
                                    terminate + "(i32.const 0)))");
    add_child(spec, "other", Shutdown::infinity());
    const Sandbox sandbox = create(spec);
    destroy(sandbox.id());
    EXPECT_EQ(sandbox.usage().processes, 0U);
  }
}

TEST_P(HostileEnds, CrashesAsOftenAsItIsStarted) {
  covers("F16 F19");
  SandboxSpec spec = undying_spec("(module (func (export \"petri_handle\") (result i32) unreachable))");
  Sandbox sandbox = create(spec);
  for (int sent = 0; sent < times(1'000, 5'000); ++sent) EXPECT_TRUE(sandbox.send("x", "m"));
  expect_soon([&] { return sandbox.info().supervisor_restarts > 10 ? "" : "no storm yet"; });
  destroy(sandbox.id());
  EXPECT_EQ(sandbox.usage().processes, 0U);
}

}  // namespace
}  // namespace petri
