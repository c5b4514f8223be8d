// One structural change of a sandbox at a time: a caller that waits for another does so without a worker's permit, for
// the other may need one to finish. There is one worker here, so that a single thread that kept its permit would stop
// all.
#include <chrono>
#include <future>

#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSlowEndMs = 300;
constexpr auto kSoonEnough = 20s;

// Its petri_terminate sends the boss a message, then naps until it is killed.
constexpr std::string_view kNapsAtItsEnd = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 400) "boss")
  (func (export "petri_handle") (result i32) (i32.const 0))
  (func (export "petri_terminate") (result i32)
    (drop (call $send (i32.const 400) (i32.const 4) (i32.const 0) (i32.const 0)))
    (i64.store (i32.const 24) (i64.const 1000000000))
    (loop $l (drop (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200))) (br $l))
    (i32.const 0))))";

// Spawns a child of the module `kid`; traps at its first message.
constexpr std::string_view kBoss = R"((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "{\"id\":\"k\",\"module\":\"kid\",\"shutdown\":\"infinity\"}")
  (func (export "go") (result i32) (call $spawn (i32.const 0) (i32.const 47)))
  (func (export "petri_handle") (result i32) unreachable)))";

class ControlTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  ControlTest() {
    RuntimeOptions options = without_containment();
    options.workers = 1;
    runtime_ = *Runtime::create(std::move(options));
  }

  // Takes a while to end, because of what it has spawned; its supervisor gives up meanwhile.
  Sandbox slow_to_end(const std::string& id) {
    SandboxSpec spec{
        .id = id,
        .modules = {{"kid", Source::wat(std::string(kNapsAtItsEnd))}, {"boss", Source::wat(std::string(kBoss))}},
        .tier = GetParam()};
    spec.limits = {.shutdown_max = std::chrono::milliseconds(kSlowEndMs)};
    spec.tree = SupervisorSpec{.intensity = 0, .children = {ChildSpec{.id = "boss", .module = "boss"}}};
    Sandbox sandbox = create(spec);
    EXPECT_EQ(testing::not_value(sandbox.call("go", {}, {.process = "boss"}), Value(0)), "");
    return sandbox;
  }
  Sandbox neighbour() {
    SandboxSpec spec = counter("neighbour");
    spec.tier = GetParam();
    return create(spec);
  }
  static std::string not_answering(Sandbox& sandbox) {
    return testing::not_kind(sandbox.call("next", {}, {.timeout = kSoonEnough}), OutcomeKind::ok);
  }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, ControlTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// Once stop() waited for a child whose killed nap waited for a permit, recover() for stop() with the last permit.
TEST_P(ControlTest, ASupervisorThatGivesUpWhileTheSandboxIsStoppedKeepsNoWorker) {
  Sandbox slow = slow_to_end("slow");
  Sandbox other = neighbour();
  const testing::Pending stopping([&] { return slow.stop(); });
  EXPECT_TRUE(stopping.wait(kSoonEnough));
  EXPECT_EQ(slow.status(), SandboxStatus::stopped);
  EXPECT_EQ(slow.usage().processes, 0U);
  EXPECT_EQ(not_answering(other), "");
}

TEST_P(ControlTest, ASupervisorThatGivesUpWhileTheSandboxIsRestartedKeepsNoWorker) {
  Sandbox slow = slow_to_end("slow");
  const testing::Pending restarting([&] { return slow.restart(); });
  EXPECT_TRUE(restarting.wait(kSoonEnough));
  EXPECT_EQ(slow.status(), SandboxStatus::running);
  EXPECT_EQ(testing::not_value(slow.call("go", {}, {.process = "boss"}), Value(0)), "");
}

// The answers do not matter: the sandbox is being stopped.
TEST_P(ControlTest, CompletionsMayAskForChangesOfASandboxThatIsBeingStopped) {
  const std::map<std::string, std::function<void(Sandbox&)>> verbs{
      {"stop", [](Sandbox& slow) { static_cast<void>(slow.stop()); }},
      {"restart", [](Sandbox& slow) { static_cast<void>(slow.restart()); }},
      {"destroy", [this](Sandbox& slow) { static_cast<void>(runtime_->destroy(slow.id())); }},
      {"snapshot", [](Sandbox& slow) { static_cast<void>(slow.snapshot()); }},
      {"reload",
       [](Sandbox& slow) { static_cast<void>(slow.reload("kid", Source::wat(std::string(kNapsAtItsEnd)))); }}};
  Sandbox other = neighbour();
  for (const auto& [name, verb] : verbs) {
    Sandbox slow = slow_to_end(name);
    const testing::Pending stopping([&] { return slow.stop(); });
    expect_soon([&] { return slow.status() == SandboxStatus::running ? "it is not being stopped yet" : ""; });
    std::promise<void> returned;
    ASSERT_TRUE(other.call_async("next", {}, {}, [&](const Result<Outcome>&) {
      verb(slow);
      returned.set_value();
    }));
    ASSERT_EQ(returned.get_future().wait_for(kSoonEnough), std::future_status::ready) << name;
    EXPECT_TRUE(stopping.wait(kSoonEnough)) << name;
    EXPECT_EQ(not_answering(other), "") << name;
  }
}

}  // namespace
}  // namespace petri
