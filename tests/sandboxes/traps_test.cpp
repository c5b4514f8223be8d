// R08: a live process that traps says where, in either tier.
#include <fmt/format.h>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TrapsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  Sandbox create_from(std::string_view wat) {
    return create({.id = "a", .modules = {{"m", Source::wat(std::string(wat))}}, .tier = GetParam()});
  }
  // "function@offset", innermost first.
  static std::vector<std::string> places(const Outcome& outcome) {
    std::vector<std::string> all;
    for (const Frame& frame : outcome.backtrace) all.push_back(frame.name + "@" + std::to_string(frame.offset));
    return all;
  }
  // By another way: a run of the same, which is repeated in compiled code from a fresh instance.
  static std::vector<std::string> places_in_a_run(Sandbox& sandbox, std::string_view function) {
    const auto outcome = sandbox.run("m", function);
    return outcome ? places(*outcome) : std::vector<std::string>{outcome.error().message};
  }
};

class OldProcessTest : public RuntimeFixture {};

TEST_P(TrapsTest, AreNamedWithTheirFunctionsInALiveProcess) {
  for (const auto& [body, code] : std::vector<std::pair<std::string, TrapCode>>{
           {"unreachable", TrapCode::unreachable},
           {"(drop (i32.div_u (i32.const 1) (global.get $zero)))", TrapCode::integer_divide_by_zero},
           {"(drop (i32.load (i32.const -4)))", TrapCode::memory_out_of_bounds},
           {"(call_indirect (i32.const 1))", TrapCode::indirect_call_to_null}}) {
    Sandbox sandbox = create_from(R"((module (memory 1) (table 2 funcref) (global $zero (mut i32) (i32.const 0))
        (func $culprit )" + body + R"() (func $caller (loop (call $culprit)))
        (func (export "f") (call $caller))))");
    const auto outcome = sandbox.call("f");
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->trap, code) << body;
    EXPECT_EQ(outcome->tier, GetParam());
    EXPECT_THAT(outcome->backtrace, SizeIs(3)) << body;
    EXPECT_EQ(places(*outcome), places_in_a_run(sandbox, "f")) << body;
    EXPECT_TRUE(runtime_->destroy("a"));
  }
}

constexpr std::string_view kTrapsOnTheThird = R"((module
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "petri" "random" (func $random (result i64)))
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "m")
  (global $count (mut i32) (i32.const 0)) (global $chance (mut i64) (i64.const 0))
  (func (export "petri_init") (result i32)
    (global.set $chance (call $random)) (i32.const 0))
  (func $overdo (if (i64.eqz (i64.sub (global.get $chance) (global.get $chance))) (then unreachable)))
  (func $work (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (drop (call $log (i32.const 1) (i32.const 0) (i32.const 1)))
    (drop (call $send (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
    (if (i32.ge_u (global.get $count) (i32.const 3)) (then (call $overdo)))
    (i32.const 0))
  (func (export "petri_handle") (result i32) (call $work))
  (func (export "next") (result i32) (call $work))))";

TEST_P(TrapsTest, AreFoundByRepeatingWhatTheProcessWasGiven) {
  int logged = 0;
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(std::string(kTrapsOnTheThird))}}, .tier = GetParam()};
  spec.on_log = [&](std::string_view, LogLevel, std::string_view) { ++logged; };
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_value(sandbox.call("next"), 0), "");
  EXPECT_EQ(testing::not_value(sandbox.call("", {}, {.input = "hello"}), 0), "");
  const auto outcome = sandbox.call("next");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  std::vector<std::string> names;
  for (const Frame& frame : outcome->backtrace) names.push_back(frame.name);
  EXPECT_THAT(names, ElementsAre("overdo", "work", "next"));
  EXPECT_EQ(logged, 3) << "what is repeated is not told again";
}

// Asks for everything there is to be asked for, and traps where one of the answers is not what it was the first time.
constexpr std::string_view kAsks = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"m\"}") (data (i32.const 64) "friend") (data (i32.const 80) "kid")
  (func (export "petri_handle") (result i32)
    (if (i32.eq (call $kind) (i32.const 1)) (then (drop (call $write (i32.const 64) (i32.const 6)))))
    (i32.const 0))
  (func $must (param $got i32) (param $wanted i32)
    (if (i32.ne (local.get $got) (local.get $wanted)) (then unreachable)))
  (func (export "ask")
    (call $must (call $spawn (i32.const 0) (i32.const 25)) (i32.const 0))
    (call $must (call $spawn (i32.const 0) (i32.const 25)) (i32.const -5))
    (call $must (call $send (i32.const 80) (i32.const 3) (i32.const 0) (i32.const 1)) (i32.const 0))
    (call $must (call $timer (i32.const 3600000) (i64.const 7)) (i32.const 0))
    (call $must (call $stop (i32.const 80) (i32.const 3)) (i32.const 0))
    (call $must (call $call (i32.const 64) (i32.const 6) (i32.const 0) (i32.const 1) (i32.const 0)) (i32.const 6))
    (call $must (call $reply (i32.const 128) (i32.const 0) (i32.const 6)) (i32.const 6))
    (call $must (i32.load8_u (i32.const 128)) (i32.const 102)))
  (func $end unreachable)
  (func (export "crash") (call $end))))";

TEST_P(TrapsTest, AreFoundByRepeatingWhatTheSandboxAnswered) {
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(std::string(kAsks))}}, .tier = GetParam()};
  spec.tree =
      SupervisorSpec{.children = {ChildSpec{.id = "asker", .module = "m"}, ChildSpec{.id = "friend", .module = "m"}}};
  Sandbox sandbox = create(spec);
  ASSERT_EQ(testing::not_kind(call(sandbox, "ask", "asker"), OutcomeKind::ok), "");
  auto events = *runtime_->subscribe({.kinds = {EventKind::process_started, EventKind::process_exited}});
  const auto outcome = call(sandbox, "crash", "asker");
  ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::trapped), "");
  std::vector<std::string> functions;
  for (const Frame& frame : outcome->backtrace) functions.push_back(frame.name);
  EXPECT_THAT(functions, ElementsAre("end", "crash"));
  EXPECT_THAT(names(events), ElementsAre("process.exited asker")) << "nothing is spawned or stopped a second time";
}

// Nobody waits for the answer to a message: the event says where it crashed.
TEST_P(TrapsTest, OfAMessageAreReportedInTheEvent) {
  Sandbox sandbox = create_from(R"((module (func $crash unreachable)
      (func (export "petri_handle") (result i32) (call $crash) (i32.const 0))))");
  auto events = *runtime_->subscribe({.kinds = {EventKind::process_exited}});
  ASSERT_TRUE(sandbox.send("hello"));
  const EventPtr event = events.wait();
  EXPECT_EQ(event->text("trap"), "unreachable");
  EXPECT_EQ(event->text("backtrace"), "crash at byte 46, called by petri_handle at byte 50");
}

TEST_P(TrapsTest, InAStartAreNamedToo) {
  const auto refused = runtime_->create_sandbox({.id = "a",
                                                 .modules = {{"m", Source::wat(R"((module (func $begin unreachable)
           (func (export "petri_init") (result i32) (call $begin) (i32.const 0))))")}},
                                                 .tier = GetParam()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the child m could not be started: it ended as trapped in call: unreachable in begin at byte 44, called by "
            "petri_init at byte 48");
}

// The kept history is bounded: after many messages too cheap for an image there is no trace in the interpreter.
TEST_P(TrapsTest, AfterManyCheapMessagesAreTracedOnlyByTheCompiledTier) {
  Sandbox sandbox = create_from(R"((module (global $count (mut i32) (i32.const 0))
      (func $crash unreachable) (func (export "next") (result i32)
        (global.set $count (i32.add (global.get $count) (i32.const 1)))
        (if (i32.eq (global.get $count) (i32.const 100)) (then (call $crash))) (global.get $count))))");
  for (int i = 1; i < 100; ++i) EXPECT_EQ(testing::not_value(sandbox.call("next"), i), "");
  const auto outcome = sandbox.call("next");
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  EXPECT_THAT(outcome->backtrace, SizeIs(GetParam() == Tier::compiled ? 2 : 0));
}

// Where messages cost more than an image it is made again and again: however old, the process says where it trapped.
TEST_P(TrapsTest, OfAnOldProcessAreRepeatedFromAnImage) {
  Sandbox sandbox = create_from(R"((module (import "petri" "random" (func $random (result i64))) (memory 1)
      (global $count (mut i32) (i32.const 0))
      (func $crash (i64.store (i32.const -1) (call $random)))
      (func $work (local $left i32) (local.set $left (i32.const 2000))
        (loop $next (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))
      (func (export "next") (result i32)
        (call $work)
        (i64.store (i32.const 8) (call $random))
        (global.set $count (i32.add (global.get $count) (i32.const 1)))
        (if (i32.and (i32.eq (global.get $count) (i32.const 300)) (i64.ne (i64.load (i32.const 8)) (i64.const 0)))
          (then (call $crash)))
        (global.get $count))))");
  for (int i = 1; i < 300; ++i) EXPECT_EQ(testing::not_value(sandbox.call("next"), i), "");
  const auto outcome = sandbox.call("next");
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  EXPECT_EQ(places(*outcome), (std::vector<std::string>{"crash@78", "next@139"}));
}

// A module that trapped without a trace is compiled in the background: the next trap has one.
TEST_F(OldProcessTest, IsCompiledOnceItHasTrappedWithoutATrace) {
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(R"((module (global $count (mut i32) (i32.const 0))
      (func $crash unreachable) (func (export "now") (result i32) (global.get $count))
      (func (export "next") (result i32)
        (global.set $count (i32.add (global.get $count) (i32.const 1)))
        (if (i32.eq (global.get $count) (i32.const 100)) (then (call $crash))) (global.get $count))))")}}});
  const auto crash = [&] {
    for (int i = 1; i < 100; ++i) EXPECT_EQ(testing::not_value(sandbox.call("next"), i), "");
    return sandbox.call("next");
  };
  EXPECT_THAT(crash()->backtrace, IsEmpty());
  expect_soon([&]() -> std::string {
    EXPECT_EQ(testing::not_value(sandbox.call("now"), 0), "");
    return sandbox.children()[0].tier == Tier::compiled ? "" : "it is interpreted";
  });
  EXPECT_THAT(crash()->backtrace, SizeIs(2));
}

// The first trap of a process that started with the state of another: an image of that is what the repetition starts
// from.
TEST_P(TrapsTest, AfterAReloadAKeptStateAndAForkAreNamed) {
  const auto version = [](int number) {
    return Source::wat(fmt::format(R"((module (import "petri" "random" (func $random (result i64)))
      (memory (export "memory") 1) (global $seen (export "state.seen") (mut i32) (i32.const 0))
      (func $crash (if (i32.ge_u (global.get $seen) (i32.const 2)) (then (i64.store (i32.const -1) (call $random)))))
      (func (export "see") (result i32)
        (global.set $seen (i32.add (global.get $seen) (i32.const 1))) (global.get $seen))
      (func (export "crash") (result i32) (call $crash) (i32.const {}))))",
                                   number));
  };
  const std::vector<std::string> where{"crash@114", "crash@133"};
  SandboxSpec spec{.id = "a", .modules = {{"m", version(1)}}};
  spec.tier = GetParam();
  spec.reload = ReloadPolicy{.trial = {.calls = 0}};
  spec.tree = SupervisorSpec{.intensity = 100, .children = {ChildSpec{.id = "m", .module = "m"}}};
  Sandbox sandbox = create(spec);
  const auto see_twice = [](Sandbox& one) {
    for (int i = 1; i <= 2; ++i) EXPECT_EQ(testing::not_value(one.call("see"), i), "");
  };
  see_twice(sandbox);
  for (const StateWay way : {StateWay::described, StateWay::memory}) {
    ReloadPolicy policy{.state = way, .trial = {.calls = 0}};
    ASSERT_TRUE(sandbox.reload("m", version(way == StateWay::memory ? 3 : 2), {.policy = policy}));
    EXPECT_EQ(places(*sandbox.call("crash")), where) << name_of(way);
    see_twice(sandbox);
  }
  ASSERT_TRUE(sandbox.restart({.keep_state = true}));
  EXPECT_EQ(places(*sandbox.call("crash")), where) << "restart with state";
  see_twice(sandbox);
  auto twin = runtime_->fork("a", "twin");
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ(places(*twin->call("crash")), where) << "fork";
  const auto snapshot = sandbox.snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_TRUE(sandbox.restore(*snapshot));
  EXPECT_EQ(places(*sandbox.call("crash")), where) << "restore";
}

// `repeatable` was true of an answer that came from the real clock, by way of an earlier call.
TEST_F(OldProcessTest, CannotBeRepeatedOnceItHasSeenTheClock) {
  const Source clock = Source::wat(R"((module (import "petri" "clock_ms" (func $clock (result i64)))
      (global $time (export "state.time") (mut i64) (i64.const 0)) (func (export "see") (global.set $time (call $clock)))
      (func (export "get") (result i64) (global.get $time))))");
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    for (const bool deterministic : {false, true}) {
      const std::string id = fmt::format("{}-{}", name_of(tier), deterministic);
      Sandbox sandbox = create({.id = id, .modules = {{"m", clock}}, .deterministic = deterministic, .tier = tier});
      const auto repeatable = [](Sandbox of, std::string_view function) {
        const auto outcome = of.call(function);
        return outcome && outcome->repeatable;
      };
      EXPECT_TRUE(repeatable(sandbox, "get"));
      EXPECT_EQ(repeatable(sandbox, "see"), deterministic);
      EXPECT_EQ(repeatable(sandbox, "get"), deterministic);
      EXPECT_EQ(repeatable(*runtime_->fork(id, id + "-twin"), "get"), deterministic);
      ASSERT_TRUE(sandbox.restart({.keep_state = true}));
      EXPECT_EQ(repeatable(sandbox, "get"), deterministic);
      ASSERT_TRUE(sandbox.restart());
      EXPECT_TRUE(repeatable(sandbox, "get")) << "it knows nothing of that";
    }
  }
}

TEST_P(TrapsTest, AreNotRepeatedWhereTheEmbeddersFunctionsHaveEffects) {
  int shots = 0;
  RuntimeOptions options = without_containment();
  ASSERT_TRUE(options.host.define("game", "fire", [&shots] { ++shots; }));
  runtime_ = std::move(*Runtime::create(std::move(options)));
  Sandbox sandbox =
      create_from(R"((module (import "game" "fire" (func $fire)) (func (export "f") (call $fire) unreachable)))");
  const auto outcome = sandbox.call("f");
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  EXPECT_EQ(shots, 1);
  EXPECT_THAT(outcome->backtrace, SizeIs(GetParam() == Tier::compiled ? 1 : 0));
}

INSTANTIATE_TEST_SUITE_P(BothTiers, TrapsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
