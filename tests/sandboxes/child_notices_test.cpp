// The messages by which parents are notified of what becomes of their children.
#include "children_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

// ---- what parents are notified of -----------------------------------------------------------------------------

constexpr std::string_view kTransientKid = R"({"id": "kid", "module": "worker", "restart": "transient"})";

// Notes of each message its kind, tag, sender and bytes, all of them on one line.
constexpr std::string_view kScribe = R"((module
  (import "petri" "input_size" (func $input_size (result i32)))
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $output_write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (import "petri" "message_tag" (func $tag (result i64)))
  (import "petri" "sender" (func $sender (param i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (global $end (mut i32) (i32.const 4096))
  (data (i32.const 0) "scribe") (data (i32.const 16) "hi")
  (data (i32.const 32) "{\"id\":\"kid\",\"module\":\"scribe\",\"restart\":\"temporary\"}")
  (func $note (param $tag i64)
    (i32.store8 (global.get $end) (i32.add (i32.const 48) (call $kind)))
    (i32.store8 (i32.add (global.get $end) (i32.const 1)) (i32.add (i32.const 48) (i32.wrap_i64 (local.get $tag))))
    (global.set $end (i32.add (global.get $end) (i32.const 2)))
    (global.set $end (i32.add (global.get $end) (call $sender (global.get $end) (i32.const 100))))
    (i32.store8 (global.get $end) (i32.const 10))
    (global.set $end (i32.add (global.get $end) (i32.const 1))))
  (func (export "petri_handle") (result i32)
    (call $note (select (i64.const 9) (call $tag) (i32.eq (call $kind) (i32.const 4))))
    (i32.const 0))
  (func (export "set_timer") (result i32) (call $timer (i32.const 1) (i64.const 7)))
  (func (export "spawn_kid") (result i32) (call $spawn (i32.const 32) (i32.const 52)))
  (func (export "send_on") (result i32) (call $send (i32.const 0) (i32.const 6) (i32.const 16) (i32.const 2)))
  (func (export "call_on") (result i32) (call $call (i32.const 0) (i32.const 6) (i32.const 16) (i32.const 2) (i32.const 0)))
  (func (export "notes") (drop (call $output_write (i32.const 4096) (i32.sub (global.get $end) (i32.const 4096)))))
  (func (export "leave") (result i32) unreachable)))";

TEST_P(ChildrenTest, GivesAHandlerTheKindAndTheSenderOfItsMessage) {  // R27
  SandboxSpec wanted{.id = "a", .modules = {{"scribe", Source::wat(std::string(kScribe))}}, .tier = GetParam()};
  wanted.tree = SupervisorSpec{
      .children = {ChildSpec{.id = "scribe", .module = "scribe"}, ChildSpec{.id = "friend", .module = "scribe"}}};
  Sandbox sandbox = create(wanted);
  const auto notes = [&] { return sandbox.call("notes", {}, {.process = "scribe"})->output; };
  EXPECT_EQ(testing::not_kind(sandbox.call("", {}, {.process = "scribe"}), OutcomeKind::ok), "");
  ASSERT_TRUE(sandbox.send("x", "scribe"));
  EXPECT_EQ(notes(), "10\n20\n") << "a call and a message of the host's";
  EXPECT_EQ(number(sandbox, "send_on", "friend"), 0);
  EXPECT_EQ(number(sandbox, "call_on", "friend"), 0);
  EXPECT_EQ(notes(), "10\n20\n20friend\n10friend\n");
  EXPECT_EQ(number(sandbox, "set_timer", "scribe"), 0);
  expect_soon([&] { return notes().ends_with("37\n") ? "" : "the timer has not rung"; });
  EXPECT_EQ(notes(), "10\n20\n20friend\n10friend\n37\n") << "of nobody, with its tag";
  EXPECT_EQ(number(sandbox, "spawn_kid", "scribe"), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "leave", "kid"), OutcomeKind::trapped), "");
  expect_soon([&] { return notes().ends_with("49kid\n") ? "" : "it has not been told"; });
  EXPECT_EQ(notes(), "10\n20\n20friend\n10friend\n37\n49kid\n");
}

TEST_P(ChildrenTest, EndsAProcessWhoseHandlerReturnsACodeWithThatCode) {  // R27
  SandboxSpec wanted{.id = "a",
                     .modules = {{"m", Source::wat(R"((module
    (import "petri" "message_kind" (func $kind (result i32)))
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (func (export "set") (result i32) (call $timer (i32.const 1) (i64.const 7)))
    (func (export "petri_handle") (result i32) (i32.add (i32.const 40) (call $kind)))))")}},
                     .tier = GetParam()};
  wanted.tree = SupervisorSpec{.intensity = 10, .children = {ChildSpec{.id = "m", .module = "m"}}};
  Sandbox sandbox = create(wanted);
  auto events = *runtime_->subscribe({.kinds = {EventKind::process_exited}});
  const auto expect_exit = [&](std::uint64_t code) {
    const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30));
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->text("outcome"), "exited");
    EXPECT_EQ(event->count("exit_code"), code);
  };
  const auto called = sandbox.call("");
  ASSERT_EQ(testing::not_kind(called, OutcomeKind::exited), "");
  EXPECT_EQ(called->exit_code, 41);
  expect_exit(41);
  ASSERT_TRUE(sandbox.send("x"));
  expect_exit(42);
  EXPECT_EQ(number(sandbox, "set", "m"), 0);
  expect_exit(43);
  expect_restarts(sandbox, 3);
}

TEST_P(ChildrenTest, NotifiesAParentThatItsChildCrashedAndRunsAgain) {  // R27
  Sandbox sandbox = create(spec({.children = {ChildSpec{.id = "parent", .module = "parent"}}}));
  ASSERT_EQ(number(sandbox, "spawn", "parent", std::string(kTransientKid)), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
  expect_received(sandbox, {"kid: reason 3 code 0 next 1 tag 12884901888"});
  EXPECT_EQ(number(sandbox, "next", "kid"), 1);
}

TEST_P(ChildrenTest, NotifiesAParentOfTheCodeItsChildExitedWith) {  // R27
  Sandbox sandbox = create(spec({.children = {ChildSpec{.id = "parent", .module = "parent"}}}));
  ASSERT_EQ(number(sandbox, "spawn", "parent", std::string(kTransientKid)), 0);
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {-7}, {.process = "kid"}), OutcomeKind::exited), "");
  expect_received(sandbox, {"kid: reason 1 code -7 next 1 tag -7"});
  EXPECT_EQ(testing::not_kind(sandbox.call("exit", {0}, {.process = "kid"}), OutcomeKind::exited), "");
  expect_received(sandbox, {"kid: reason 1 code -7 next 1 tag -7", "kid: reason 1 code 0 next 0 tag 0"});
  EXPECT_EQ(number(sandbox, "spawn", "parent", std::string(kTransientKid)), 0) << "its name is free";
}

TEST_P(ChildrenTest, NotifiesAParentOfALimitAndOfAStop) {  // R27
  SandboxSpec wanted = spec({.children = {ChildSpec{.id = "parent", .module = "parent"}}});
  wanted.limits = {.fuel_max = 1'000'000};
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "kid", "module": "worker", "restart": "temporary"})"), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "spin", "kid"), OutcomeKind::out_of_fuel), "");
  expect_received(sandbox, {"kid: reason 4 code 0 next 0 tag 17179869184"});
  ASSERT_EQ(number(sandbox, "spawn", "parent", std::string(kTransientKid)), 0);
  ASSERT_TRUE(sandbox.stop_child("kid"));
  expect_received(sandbox,
                  {"kid: reason 4 code 0 next 0 tag 17179869184", "kid: reason 2 code 0 next 0 tag 8589934592"});
}

// The parent is notified by any live instance of the child; a child that the host has stopped and started again is
// another process.
TEST_P(ChildrenTest, NotifiesAParentThatItsSupervisorRestartedButNotOneTheHostStopped) {  // R27
  SandboxSpec wanted = spec({.intensity = 10, .children = {ChildSpec{.id = "parent", .module = "parent"}}});
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "kid", "module": "worker"})"), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "parent"), OutcomeKind::trapped), "");
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
  expect_received(sandbox, {"kid: reason 3 code 0 next 1 tag 12884901888"});
  ASSERT_TRUE(sandbox.stop_child("parent"));
  ASSERT_TRUE(sandbox.restart_child("parent"));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
  EXPECT_EQ(number(sandbox, "next", "kid"), 1) << "it lives again";
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "other", "module": "worker"})"), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "other"), OutcomeKind::trapped), "");
  expect_received(sandbox, {"other: reason 3 code 0 next 1 tag 12884901888"});
}

TEST_P(ChildrenTest, NotifiesAParentOfItsInstancesInAPool) {  // R27
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"supervisor": "pool", "id": "kid"})"), 0);
  ASSERT_TRUE(sandbox.start_instance({.id = "other"}, "pool"));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "pool/kid"), OutcomeKind::trapped), "");
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "pool/other"), OutcomeKind::trapped), "");
  EXPECT_EQ(number(sandbox, "stop", "parent", "pool/kid"), 0);
  expect_received(
      sandbox, {"pool/kid: reason 3 code 0 next 1 tag 12884901888", "pool/kid: reason 2 code 0 next 0 tag 8589934592"});
}

// The second tree gives up over one crash too many; the parent lives on, and knows that its children are gone.
TEST_P(ChildrenTest, NotifiesAParentThatTheSupervisorGaveUpItsChildren) {  // R27
  SandboxSpec wanted = spec({.children = {ChildSpec{.id = "parent", .module = "parent"}}});
  wanted.recovery.emplace().actions = {{ErrorCategory::runtime, RecoveryAction::keep}};
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "first", "module": "worker"})"), 0);
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "second", "module": "worker"})"), 0);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "first"), OutcomeKind::trapped), "");
  expect_received(sandbox, {"first: reason 3 code 0 next 1 tag 12884901888"});
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "first"), OutcomeKind::trapped), "");
  expect_received(sandbox,
                  {"first: reason 3 code 0 next 1 tag 12884901888", "first: reason 3 code 0 next 0 tag 12884901888",
                   "second: reason 2 code 0 next 0 tag 8589934592"});
  expect_soon([&] {
    return number(sandbox, "spawn", "parent", R"({"id": "second", "module": "worker"})") == 0 ? "" : "it is not free";
  });
}

// Not more often, and not less, than the children of the spec.
TEST_P(ChildrenTest, RestartsSpawnedChildrenAsOftenAsTheRootSays) {  // S09
  Sandbox sandbox = create(spec({.intensity = 3, .children = {ChildSpec{.id = "parent", .module = "parent"}}}));
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "kid", "module": "worker"})"), 0);
  for (std::uint64_t crashes = 1; crashes <= 3; ++crashes) {
    EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
    expect_restarts(sandbox, crashes);
  }
  EXPECT_EQ(number(sandbox, "next", "kid"), 1);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_EQ(sandbox.info().cause, "the supervisor gave up restarting; the last that ended was kid (trapped)");
}

// A process that a restart keeps has the same children, and the same parents.
TEST_P(ChildrenTest, KeepsInstancesAndParentsInARestartWithState) {
  Sandbox sandbox = create(spec(parent_beside(pool("pool"))));
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"supervisor": "pool", "id": "kid", "input": "k"})"), 0);
  ASSERT_EQ(number(sandbox, "spawn", "parent", R"({"id": "own", "module": "worker"})"), 0);
  ASSERT_TRUE(sandbox.start_instance({.id = "other"}, "pool"));
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "late", .module = "worker"}));
  EXPECT_EQ(number(sandbox, "next", "pool/kid"), 1);
  const auto restarted = sandbox.restart({.keep_state = true});
  ASSERT_TRUE(restarted) << restarted.error().message;
  EXPECT_THAT(addresses(sandbox), ElementsAre("parent running", "pool running", "pool/kid running",
                                              "pool/other running", "late running", "own running"));
  EXPECT_EQ(number(sandbox, "next", "pool/kid"), 2);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "pool/kid"), OutcomeKind::trapped), "");
  expect_received(sandbox, {"pool/kid: reason 3 code 0 next 1 tag 12884901888"});
  EXPECT_EQ(number(sandbox, "first", "pool/kid"), 'k') << "its own input";
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  const auto again = Snapshot::from_bytes(snapshot->to_bytes());
  ASSERT_TRUE(again) << again.error().message;
  auto twin = runtime_->create_sandbox({.id = "twin", .tier = GetParam()}, *again);
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(addresses(*twin), addresses(sandbox));
  EXPECT_EQ(number(*twin, "stop", "parent", "own"), 0);
  expect_received(*twin,
                  {"pool/kid: reason 3 code 0 next 1 tag 12884901888", "own: reason 2 code 0 next 0 tag 8589934592"});
}

// Charged and bounded as any other: one that does not fit is refused, and limit.met says so.
TEST_P(ChildrenTest, RefusesANotificationWhenTheParentsMailboxIsFull) {
  SandboxSpec wanted = spec({.intensity = 9, .children = {ChildSpec{.id = "parent", .module = "parent"}}});
  wanted.limits = {.message_bytes_max = 64};
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(number(sandbox, "spawn", "parent", std::string(R"({"id":"kid","module":"worker"})")), 0);
  ASSERT_TRUE(sandbox.update_limits({.message_bytes_max = 26}));
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash", "kid"), OutcomeKind::trapped), "");
  expect_soon([&] { return sandbox.info().limits_met.contains("message_bytes_max") ? "" : "nobody was told"; });
  EXPECT_THAT(received(sandbox), ElementsAre());
}

}  // namespace
}  // namespace petri
