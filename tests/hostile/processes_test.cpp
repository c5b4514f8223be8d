// Family F: processes that spawn, stop, crash and will not end.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class HostileProcesses : public HostileFixture {
 protected:
  // Events of these kinds until this one comes, each as "kind process".
  std::vector<std::string> until(Subscription& events, EventKind last) {
    std::vector<std::string> seen;
    while (const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + 30s)) {
      seen.push_back(std::string(name_of(event->kind)) + (event->process.empty() ? "" : " " + event->process));
      if (event->kind == last) return seen;
    }
    seen.emplace_back("nothing more");
    return seen;
  }
  static std::size_t count_of(const std::vector<std::string>& all, std::string_view one) {
    return static_cast<std::size_t>(std::ranges::count(all, one));
  }
};

// Spawns "<self>0" and "<self>1" of its own module, and remembers the last answer below zero.
constexpr std::string_view kBomb = R"json(
  (import "petri" "self" (func $self (param i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"module\":\"m\",\"id\":\"")
  (data (i32.const 200) "\"}")
  (global $refused (mut i32) (i32.const 0))
  (func $one (param $digit i32) (local $end i32) (local $status i32)
    (local.set $end (i32.add (i32.const 20) (call $self (i32.const 20) (i32.const 100))))
    (i32.store8 (local.get $end) (local.get $digit))
    (i32.store16 (i32.add (local.get $end) (i32.const 1)) (i32.load16_u (i32.const 200)))
    (local.set $status (call $spawn (i32.const 0) (i32.add (local.get $end) (i32.const 3))))
    (if (i32.lt_s (local.get $status) (i32.const 0)) (then (global.set $refused (local.get $status)))))
  (func $both (call $one (i32.const 48)) (call $one (i32.const 49)))
  (func (export "refused") (result i32) (global.get $refused)))json";

// F06: each that is sent a message has two children and sends it on.
TEST_P(HostileProcesses, DoublesNoFurtherThanItMay) {
  covers("F06");
  SandboxSpec spec = hostile_spec("(module " + std::string(kBomb) + R"((func (export "petri_handle") (result i32)
    (call $both) (i32.const 0))))",
                                  {.processes_max = 20});
  Sandbox sandbox = create(spec);
  for (int round = 0; round < 6; ++round) {
    for (const ChildInfo& child : sandbox.children()) {
      EXPECT_EQ(testing::not_kind(call(sandbox, "", child.address), OutcomeKind::ok), "");
      EXPECT_LE(sandbox.usage().processes, 20U);
    }
  }
  EXPECT_EQ(sandbox.usage().processes, 20U);
  EXPECT_EQ(number(call(sandbox, "refused", "m")), status(GuestError::already_exists));
  EXPECT_GT(met(sandbox, "processes_max"), 0U);
  EXPECT_TRUE(runtime_->destroy(sandbox.id()));
}

// F06: before they have even started to run.
TEST_P(HostileProcesses, DoublesInPetriInitNoFurtherThanItMay) {
  covers("F06");
  SandboxSpec spec = hostile_spec("(module " + std::string(kBomb) + R"((func (export "petri_init") (result i32)
    (call $both) (i32.const 0))))",
                                  {.processes_max = 20});
  Sandbox sandbox = create(spec);
  expect_soon([&] {
    const std::uint64_t processes = sandbox.usage().processes;
    return processes <= 20 && processes >= 3 ? "" : std::to_string(processes) + " processes";
  });
  EXPECT_TRUE(runtime_->destroy(sandbox.id()));
}

constexpr std::string_view kParent = R"json((module
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (memory 2)
  (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"m\"}") (data (i32.const 64) "kid")
  (data (i32.const 128) "{\"id\":\"bad\",\"module\":\"exits\"}")
  (func (export "raise") (param $n i32) (result i32) (local $status i32)
    (loop
      (local.set $status (i32.or (local.get $status) (call $spawn (i32.const 0) (i32.const 25))))
      (local.set $status (i32.or (local.get $status) (call $stop (i32.const 64) (i32.const 3))))
      (drop (call $spawn (i32.const 128) (i32.const 29)))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $status))
  (func (export "spawn") (result i32) (call $spawn (i32.const 0) (i32.const 25)))
  (func (export "petri_handle") (result i32)
    (if (i32.eq (call $kind) (i32.const 4)) (then (return (i32.const 0))))  ;; a child has ended
    (drop (call $read (i32.const 1000) (i32.const 0) (call $size)))
    (i32.store (i32.const 500) (if (result i32) (i32.eq (i32.load8_u (i32.const 1000)) (i32.const 45))
      (then (call $stop (i32.const 1001) (i32.sub (call $size) (i32.const 1))))
      (else (call $spawn (i32.const 1001) (i32.sub (call $size) (i32.const 1))))))
    (drop (call $write (i32.const 500) (i32.const 4))) (i32.const 0))))json";

class HostileParent : public HostileProcesses {
 protected:
  Sandbox parent(const LimitChanges& limits = {}) {
    SandboxSpec spec = hostile_spec(kParent, limits);
    spec.modules.push_back(
        {"exits", Source::wat("(module (func (export \"petri_init\") (result i32) (i32.const 5)))")});
    add_child(spec, "sister");
    return create(spec);
  }
  // The answer that the mother gets when she asks for this: "+spec" spawns, "-name" stops.
  std::int32_t ask(Sandbox& sandbox, const std::string& request) {
    const auto outcome = sandbox.call("", {}, {.process = "m", .input = request});
    EXPECT_TRUE(outcome) << outcome.error().message;
    std::int32_t value = INT32_MAX;
    if (outcome && outcome->output.size() == sizeof(value)) std::memcpy(&value, outcome->output.data(), sizeof(value));
    return value;
  }
};

// F07
TEST_P(HostileParent, LeavesNoNamesOfChildrenThatAreGone) {
  covers("F07");
  Sandbox sandbox = parent({.execution_time_max = std::chrono::minutes(10)});
  const Usage before = sandbox.usage();
  EXPECT_EQ(number(sandbox.call("raise", {times(200, 100'000)}, {.process = "m"})), 0);
  EXPECT_EQ(sandbox.usage().processes, before.processes);
  EXPECT_EQ(sandbox.usage().memory_bytes, before.memory_bytes);
  EXPECT_THAT(sandbox.children(), SizeIs(2));
}

// F08
TEST_P(HostileParent, LearnsWhatItCannotSpawn) {
  covers("F08");
  Sandbox sandbox = parent();
  const std::string bad_specs[] = {R"({"id":"x","module":"ghost"})",
                                   R"({"id":"x"})",
                                   R"({"module":"m"})",
                                   R"({"id":"../x","module":"m"})",
                                   R"({"id":"x","module":"m","speed":1})",
                                   "nonsense",
                                   "",
                                   "{}",
                                   "[]",
                                   R"({"id":"x","children":[]})",
                                   R"({"id":"x","module":"m"},{"id":"y","module":"m"})",
                                   R"({"id":"x","module":"m"}]})",
                                   R"({"id":"x","module":")" + std::string(60'000, 'm') + "\"}"};
  for (const std::string& spec : bad_specs) EXPECT_LT(ask(sandbox, "+" + spec), 0) << spec.substr(0, 80);
  EXPECT_EQ(ask(sandbox, R"(+{"id":"sister","module":"m"})"), status(GuestError::already_exists));
  EXPECT_LT(ask(sandbox, R"(+{"id":"x","module":"exits"})"), 0);
  EXPECT_EQ(ask(sandbox, R"(+{"id":"x","module":"m"})"), 0);
  EXPECT_THAT(sandbox.children(), SizeIs(3));
}

// F09
TEST_P(HostileParent, StopsOnlyItsOwnChildren) {
  covers("F09");
  Sandbox sandbox = parent();
  for (const std::string name : {"m", "", "sister", "canary-1", "canary-1/m", "../canary-1/m", "m/m", "ghost"}) {
    EXPECT_LT(ask(sandbox, "-" + name), 0) << name;
  }
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
  EXPECT_THAT(sandbox.children(), SizeIs(2));
}

// F09: a child that is asked to stop the one who waits for it, and two who stop each other, end in their time.
TEST_P(HostileProcesses, CannotHangBothByStoppingWhoWaitsForIt) {
  covers("F09");
  SandboxSpec spec = hostile_spec(R"json((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
    (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 0) "{\"id\":\"a\",\"module\":\"m\",\"shutdown\":\"20ms\"}")
    (data (i32.const 100) "{\"id\":\"b\",\"module\":\"m\",\"shutdown\":\"20ms\"}")
    (data (i32.const 200) "ab")
    (func (export "spawn") (result i32)
      (i32.or (call $spawn (i32.const 0) (i32.const 41)) (call $spawn (i32.const 100) (i32.const 41))))
    (func (export "petri_handle") (result i32)
      (drop (call $stop (i32.const 200) (i32.const 1))) (i32.const 0))
    (func (export "call b") (result i32)
      (call $call (i32.const 201) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "stop a") (result i32) (call $stop (i32.const 200) (i32.const 1)))
    (func (export "stop b") (result i32) (call $stop (i32.const 201) (i32.const 1)))))json",
                                  {.execution_time_max = std::chrono::milliseconds(500)});
  Sandbox sandbox = create(spec);
  EXPECT_EQ(number(call(sandbox, "spawn", "m")), 0);
  static_cast<void>(call(sandbox, "call b", "a"));
  expect_soon([&] { return testing::not_error(call(sandbox, "stop a", "a"), ErrorCode::not_found); });
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);

  EXPECT_EQ(number(call(sandbox, "stop b", "m")), 0);
  EXPECT_EQ(number(call(sandbox, "spawn", "m")), 0);
  std::atomic<int> ended{0};
  const auto finish = [&](const Result<Outcome>&) { ++ended; };
  ASSERT_TRUE(sandbox.call_async("stop b", {}, {.process = "a"}, finish));
  // Unless it was stopped in time.
  const int started = sandbox.call_async("stop a", {}, {.process = "b"}, finish) ? 2 : 1;
  expect_soon([&] { return ended == started ? "" : std::to_string(ended) + " ended"; });
  EXPECT_TRUE(runtime_->destroy(sandbox.id()));
}

// F14
TEST_P(HostileProcesses, ExitsWithAnyCodeFromAnyPlace) {
  covers("F14");
  for (const std::int32_t code : {0, -1, INT32_MAX}) {
    const std::string exits = "(call $exit (i32.const " + std::to_string(code) + "))";
    const auto module = [](const std::string& body) {
      return "(module (import \"petri\" \"exit\" (func $exit (param i32))) " + body + ")";
    };
    SandboxSpec spec =
        hostile_spec(module("(func (export \"petri_handle\") (result i32) " + exits + " (i32.const 0))"));
    spec.tree->children = {ChildSpec{.id = "m", .module = "m", .restart = RestartType::transient}};
    Sandbox sandbox = create(spec);
    const auto outcome = sandbox.call("");
    ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::exited), "");
    EXPECT_EQ(outcome->exit_code, code);
    // Restarted as its policy says: an orderly end is not.
    expect_soon([&] { return sandbox.usage().processes == (code == 0 ? 0U : 1U) ? "" : "not yet"; });
    expect_restarts(sandbox, code == 0 ? 0 : 1);
    for (const std::string& body : {"(func (export \"petri_init\") (result i32) " + exits + " (i32.const 0))",
                                    "(func $s " + exits + ") (start $s)"}) {
      const auto created = runtime_->create_sandbox(hostile_spec(module(body)));
      ASSERT_FALSE(created);
      EXPECT_EQ(created.error().detail("outcome"), "exited");
      EXPECT_THAT(created.error().message, HasSubstr("with code " + std::to_string(code)));
    }
  }
}

// F16: at once, always.
TEST_P(HostileProcesses, IsGivenUpAfterOneDeathTooMany) {
  covers("F16");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (func (export "petri_init") (result i32) (call $timer (i32.const 0) (i64.const 0)))
    (func (export "petri_handle") (result i32) unreachable)))");
  spec.tree->intensity = 3;
  auto events = *runtime_->subscribe({.sandbox = spec.id,
                                      .kinds = {EventKind::process_exited, EventKind::process_restarted,
                                                EventKind::process_gave_up, EventKind::sandbox_failed}});
  ASSERT_TRUE(runtime_->create_sandbox(spec));
  const auto seen = until(events, EventKind::sandbox_failed);
  EXPECT_EQ(count_of(seen, "process.exited m"), 4U);
  EXPECT_EQ(count_of(seen, "process.restarted m"), 3U);
  EXPECT_EQ(count_of(seen, "process.gave_up m"), 1U);
}

// F16, S13: every start after the first fails; a sibling remembers which is which.
TEST_P(HostileProcesses, IsGivenUpWhenItFailsToStartAgain) {
  covers("F16");
  SandboxSpec spec = hostile_spec(R"((module
    (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 1)
    (func (export "petri_handle") (result i32)
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
      (drop (call $write (i32.const 0) (i32.const 4))) (i32.const 0))
    (func (export "starts") (result i32) (i32.load (i32.const 0)))))");
  spec.modules.push_back({"bad", Source::wat(R"((module
    (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
    (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 16) "m")
    (func (export "petri_init") (result i32)
      (drop (call $call (i32.const 16) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
      (drop (call $reply (i32.const 0) (i32.const 0) (i32.const 4)))
      (i32.gt_u (i32.load (i32.const 0)) (i32.const 1)))
    (func (export "crash") unreachable)))")});
  spec.tree->children.emplace_back(SupervisorSpec{.id = "inner",
                                                  .intensity = 3,
                                                  .restart = RestartType::temporary,
                                                  .children = {ChildSpec{.id = "bad", .module = "bad"}}});
  auto events = *runtime_->subscribe({.sandbox = spec.id, .kinds = {EventKind::process_gave_up}});
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "inner/bad"), OutcomeKind::trapped), "");
  EXPECT_THAT(until(events, EventKind::process_gave_up), SizeIs(1));
  EXPECT_EQ(number(call(sandbox, "starts", "m")), 4);
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
}

// F17: how fast is a benchmark.
TEST_P(HostileProcesses, CrashesAThousandAtOnce) {
  covers("F17");
  SandboxSpec spec =
      hostile_spec("(module (func (export \"crash\") unreachable) (func (export \"f\")))", {.processes_max = 1'001});
  const int children = copy_count() == 1 ? 1'000 : 10;
  for (int i = 0; i < children; ++i) add_child(spec, "c" + std::to_string(i));
  Sandbox sandbox = create(spec);
  std::atomic<int> crashed{0};
  for (int i = 0; i < children; ++i) {
    const auto asked = sandbox.call_async("crash", {}, {.process = "c" + std::to_string(i)},
                                          [&](const Result<Outcome>&) { ++crashed; });
    ASSERT_TRUE(asked) << asked.error().message;
  }
  expect_restarts(sandbox, static_cast<std::uint64_t>(children));
  // The caller learns about the crash beside the restart, not before it.
  const auto not_all = [&]() -> std::string { return crashed == children ? "" : std::to_string(crashed) + " crashed"; };
  EXPECT_EQ(testing::eventually(*runtime_, not_all), "");
  EXPECT_EQ(sandbox.usage().processes, static_cast<std::uint64_t>(children) + 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "f", "c5"), OutcomeKind::ok), "");
}

// F18
TEST_P(HostileProcesses, EscalatesAsItsSupervisorsSay) {
  covers("F18");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "exit" (func $exit (param i32)))
    (func (export "crash") unreachable) (func (export "leave") (call $exit (i32.const 0))) (func (export "f"))))");
  const auto nested = [](std::string id, TreeChild child, std::uint32_t intensity) {
    return SupervisorSpec{.id = std::move(id), .intensity = intensity, .children = {std::move(child)}};
  };
  spec.tree = nested("", nested("outer", nested("inner", ChildSpec{.id = "leaf", .module = "m"}, 1), 1), 0);
  auto events = *runtime_->subscribe(
      {.sandbox = spec.id,
       .kinds = {EventKind::process_exited, EventKind::process_gave_up, EventKind::sandbox_failed}});
  Sandbox sandbox = create(spec);
  // The inner one starts twice in each of two starts of the outer one; orderly ends of a permanent child count as
  // crashes do.
  for (int death = 1; death <= 4; ++death) {
    const std::string_view how = death % 2 == 0 ? "leave" : "crash";
    expect_soon([&] { return testing::not_kind(call(sandbox, "f", "outer/inner/leaf"), OutcomeKind::ok); });
    static_cast<void>(call(sandbox, how, "outer/inner/leaf"));
  }
  const auto seen = until(events, EventKind::sandbox_failed);
  EXPECT_EQ(count_of(seen, "process.exited outer/inner/leaf"), 4U);
  EXPECT_EQ(std::ranges::count_if(seen, [](const std::string& one) { return one.starts_with("process.gave_up"); }), 4);
  expect_status(sandbox, SandboxStatus::failed);
}

// F19
TEST_P(HostileProcesses, IsKilledWhenItIgnoresItsShutdown) {
  covers("F19");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (import "petri" "self" (func $self (param i32 i32) (result i32)))
    (memory 1)
    (func (export "petri_terminate") (result i32)
      (drop (call $log (i32.const 2) (i32.const 0) (call $self (i32.const 0) (i32.const 64))))
      (if (i32.eq (i32.load8_u (i32.const 0)) (i32.const 120)) (then (loop (br 0)))) (i32.const 0))))",
                                  {.execution_time_max = std::chrono::minutes(10)});
  std::vector<std::string> ended;
  std::mutex mutex;
  spec.on_log = [&](std::string_view process, LogLevel, std::string_view) {
    const std::lock_guard lock(mutex);
    ended.emplace_back(process);
  };
  add_child(spec, "x", Shutdown::after(copy_count() == 1 ? 20ms : 2'000ms));  // in a crowd its turn comes late
  add_child(spec, "last");
  Sandbox sandbox = create(spec);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_THAT(ended, ElementsAre("last", "x", "m"));
  EXPECT_EQ(sandbox.usage().processes, 0U);
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileProcesses);
PETRI_HOSTILE_IN_BOTH_TIERS(HostileParent);

}  // namespace
}  // namespace petri
