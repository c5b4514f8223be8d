// Children that come and go while a sandbox lives: after a template, by request, spawned by guests, and what those are
// notified of their ends.
#include <fmt/format.h>

#include <cstring>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

// Answers the first byte it was started with, counts, crashes and exits.
constexpr std::string_view kPoolWorker = R"((module
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "exit" (func $exit (param i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "petri_init") (result i32)
    (drop (call $input_read (i32.const 0) (i32.const 0) (i32.const 1)))
    (i32.eq (i32.load8_u (i32.const 0)) (i32.const 33)))
  (func (export "first") (result i32) (i32.load8_u (i32.const 0)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func (export "exit") (param i32) (call $exit (local.get 0)))))";

// Spawns and stops what its input says, and keeps what is reported to it of its children: tag, then bytes.
constexpr std::string_view kSpawner = R"((module
  (import "petri" "input_size" (func $input_size (result i32)))
  (import "petri" "input_read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $output_write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $message_kind (result i32)))
  (import "petri" "message_tag" (func $message_tag (result i64)))
  (import "petri" "sender" (func $sender (param i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (memory 1)
  (global $end (mut i32) (i32.const 4096))
  (func $read (result i32) (call $input_read (i32.const 0) (i32.const 0) (i32.const 4096)))
  (func (export "spawn") (result i32) (call $spawn (i32.const 0) (call $read)))
  (func (export "stop") (result i32) (call $stop (i32.const 0) (call $read)))
  (func (export "told") (drop (call $output_write (i32.const 4096) (i32.sub (global.get $end) (i32.const 4096)))))
  (func (export "crash") unreachable)
  (func (export "petri_handle") (result i32)
    (if (i32.ne (call $message_kind) (i32.const 4)) (then (return (i32.const 0))))
    (i64.store (global.get $end) (call $message_tag))
    (global.set $end (i32.add (global.get $end) (i32.const 8)))
    (i32.store (global.get $end) (call $sender (i32.add (global.get $end) (i32.const 4)) (i32.const 1024)))
    (global.set $end (i32.add (global.get $end) (i32.add (i32.const 4) (i32.load (global.get $end)))))
    (global.set $end (i32.add (global.get $end)
      (call $input_read (global.get $end) (i32.const 0) (call $input_size))))
    (i32.const 0))))";

class ChildrenTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SandboxSpec spec(SupervisorSpec tree) {
    return {
        .id = "a",
        .modules = {{"worker", Source::wat(std::string(kPoolWorker))}, {"parent", Source::wat(std::string(kSpawner))}},
        .tree = std::move(tree),
        .tier = GetParam()};
  }
  static SupervisorSpec pool(std::string id = {}) {
    return {.id = std::move(id),
            .strategy = Strategy::simple_one_for_one,
            .intensity = 10,
            .children = {ChildSpec{.id = "worker", .module = "worker", .input = "t"}}};
  }
  static SupervisorSpec parent_beside(const SupervisorSpec& other) {
    return {.children = {ChildSpec{.id = "parent", .module = "parent"}, other}};
  }
  static std::int32_t number(Sandbox& sandbox, std::string_view function, const std::string& process,
                             const std::string& input = {}) {
    const auto outcome = sandbox.call(function, {}, {.process = process, .input = input});
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -99;
  }
  static std::vector<std::string> addresses(const Sandbox& sandbox) {
    std::vector<std::string> all;
    for (const ChildInfo& child : sandbox.children()) all.push_back(child.address + " " + child.status);
    return all;
  }
  template <typename T>
  static std::string message(const Result<T>& result) {
    return result ? "ok" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
  }
  // The notifications that the parent received: "kid: reason 3 code 0 next 1 tag 12884901888".
  static std::vector<std::string> received(Sandbox& sandbox) {
    const auto outcome = sandbox.call("told", {}, {.process = "parent"});
    std::vector<std::string> all;
    std::string_view rest = outcome ? std::string_view(outcome->output) : "";
    const auto take = [&rest]<typename T>(T number) {
      std::memcpy(&number, rest.data(), sizeof(number));
      rest.remove_prefix(sizeof(number));
      return number;
    };
    const auto take_text = [&rest](std::size_t size) {
      const std::string text(rest.substr(0, size));
      rest.remove_prefix(size);
      return text;
    };
    while (!rest.empty()) {
      const auto tag = take(std::int64_t{});
      const std::string sender = take_text(take(std::uint32_t{}));
      EXPECT_EQ(take(std::uint32_t{}), 1U) << "the format";
      EXPECT_EQ(take(std::uint32_t{}), 24U) << "where the name starts";
      const auto reason = take(std::uint32_t{});
      const auto code = take(std::int32_t{});
      const auto next = take(std::uint32_t{});
      EXPECT_EQ(take_text(take(std::uint32_t{})), sender);
      all.push_back(fmt::format("{}: reason {} code {} next {} tag {}", sender, reason, code, next, tag));
    }
    return all;
  }
  void expect_received(Sandbox& sandbox, const std::vector<std::string>& wanted) {
    expect_soon([&] { return received(sandbox).size() >= wanted.size() ? "" : "it has not been told"; });
    EXPECT_EQ(received(sandbox), wanted);
  }
};

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
