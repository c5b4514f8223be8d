// Family F: messages, timers, logs and answers.
#include <future>

#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

class HostileMessages : public HostileFixture {
 protected:
  Subscription limits_met(const Sandbox& sandbox) {
    return *runtime_->subscribe({.sandbox = sandbox.id(), .kinds = {EventKind::limit_met}});
  }
};

// Sends n messages of a length to a peer, and counts those that were accepted, those that were refused, and those that
// arrived.
constexpr std::string_view kSender = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (memory 2) (data (i32.const 0) "mpeer")
  (global $arrived (mut i32) (i32.const 0)) (global $last (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (global.set $arrived (i32.add (global.get $arrived) (i32.const 1))) (i32.const 0))
  (func $flood (param $to i32) (param $to_length i32) (param $n i32) (result i32) (local $accepted i32)
    (loop
      (global.set $last (call $send (local.get $to) (local.get $to_length) (i32.const 0) (i32.const 8)))
      (local.set $accepted (i32.add (local.get $accepted) (i32.eqz (global.get $last))))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $accepted))
  (func (export "flood itself") (param i32) (result i32) (call $flood (i32.const 0) (i32.const 1) (local.get 0)))
  (func (export "flood peer") (param i32) (result i32) (call $flood (i32.const 1) (i32.const 4) (local.get 0)))
  (func (export "size") (param i32) (result i32)
    (call $send (i32.const 0) (i32.const 1) (i32.const 0) (local.get 0)))
  (func (export "to") (param i32 i32) (result i32)
    (call $send (local.get 0) (local.get 1) (i32.const 0) (i32.const 1)))
  (func (export "last") (result i32) (global.get $last))
  (func (export "arrived") (result i32) (global.get $arrived))))";

// F01
TEST_P(HostileMessages, FillsAMailboxToItsBoundAndEveryAcceptedOneArrives) {
  covers("F01");
  SandboxSpec spec =
      hostile_spec(kSender, {.execution_time_max = std::chrono::minutes(10), .message_queue_max = 1'000});
  add_child(spec, "peer");
  Sandbox sandbox = create(spec);
  auto events = limits_met(sandbox);
  const std::int32_t count = times(20'000, 10'000'000);
  const auto handled = [&] { return sandbox.usage().messages == 0 ? "" : "some wait"; };
  EXPECT_EQ(number(sandbox.call("flood itself", {count}, {.process = "m"})), 1'000);
  expect_soon(handled);
  EXPECT_EQ(number(call(sandbox, "arrived", "m")), 1'000);
  EXPECT_EQ(number(call(sandbox, "last", "m")), status(GuestError::queue_full));
  const std::int32_t accepted = number(sandbox.call("flood peer", {count}, {.process = "m"}));
  expect_soon(handled);
  EXPECT_EQ(number(call(sandbox, "arrived", "peer")), accepted);
  // V7: reported once a call, with a count.
  std::uint64_t reported = 0, refused = 0;
  while (const EventPtr event = events.next()) {
    ++reported;
    refused += event->detail("count") == nullptr ? 1 : event->count("count");
  }
  EXPECT_LE(reported, 2U);
  EXPECT_EQ(refused, static_cast<std::uint64_t>(2 * count - 1'000 - accepted));
  EXPECT_EQ(met(sandbox, "message_queue_max"), refused);
}

// F02, Q14
TEST_P(HostileMessages, SendsPiecesOfEverySize) {
  covers("F02");
  Sandbox sandbox = attack(kSender);
  EXPECT_EQ(number(sandbox.call("size", {65'536})), 0);
  EXPECT_EQ(number(sandbox.call("size", {65'537})), status(GuestError::too_large));
  EXPECT_EQ(number(sandbox.call("size", {1 << 30})), status(GuestError::out_of_bounds));
  EXPECT_EQ(number(sandbox.call("size", {-1})), status(GuestError::out_of_bounds));
  EXPECT_EQ(number(sandbox.call("size", {0})), 0);
  EXPECT_TRUE(sandbox.send(std::string(65'536, 'x')));
  EXPECT_EQ(sandbox.send(std::string(65'537, 'x')).error().code, ErrorCode::too_large);
  EXPECT_EQ(number(call(sandbox, "arrived")), 3);
  EXPECT_EQ(met(sandbox, "message_bytes_max"), 2U);
}

// F03
TEST_P(HostileMessages, PlaysPingPongForEverBesideOthers) {
  covers("F03");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
    (import "petri" "sender" (func $sender (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 100) "ping") (global $n (mut i32) (i32.const 0))
    (func (export "petri_handle") (result i32)
      (global.set $n (i32.add (global.get $n) (i32.const 1)))
      (drop (call $send (i32.const 0) (call $sender (i32.const 0) (i32.const 64)) (i32.const 0) (i32.const 1)))
      (i32.const 0))
    (func (export "serve") (result i32) (call $send (i32.const 100) (i32.const 4) (i32.const 0) (i32.const 1)))
    (func (export "played") (result i32) (global.get $n))))");
  add_child(spec, "ping");
  Sandbox sandbox = create(spec);
  EXPECT_EQ(number(call(sandbox, "serve", "m")), 0);
  canaries_->wait_for_rounds(5);
  expect_neighbours_answer();
  EXPECT_GT(number(call(sandbox, "played", "ping")), 0);
}

// F04
TEST_P(HostileMessages, ReachesNobodyByABadName) {
  covers("F04");
  Sandbox sandbox = attack(kSender);
  ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "mpee", .module = "m", .restart = RestartType::temporary}));
  EXPECT_EQ(number(sandbox.call("to", {0, 4}, {.process = "m"})), 0);
  ASSERT_TRUE(sandbox.stop_child("mpee"));
  const std::pair<std::int32_t, std::int32_t> names[] = {{0, 4}, {1, 4}, {0, 0}, {0, 70'000}, {5, 64}};
  for (const auto& [at, length] : names) {
    EXPECT_EQ(number(sandbox.call("to", {at, length}, {.process = "m"})), status(GuestError::not_found)) << length;
  }
  EXPECT_EQ(number(sandbox.call("to", {0, -1}, {.process = "m"})), status(GuestError::out_of_bounds));
}

constexpr std::string_view kTimer = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "exit" (func $exit (param i32)))
  (global $rung (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (global.set $rung (i32.add (global.get $rung) (i32.const 1))) (i32.const 0))
  (func (export "set") (param $ms i32) (param $n i32) (result i32) (local $set i32)
    (loop
      (local.set $set (i32.add (local.get $set) (i32.eqz (call $timer (local.get $ms) (i64.const 1)))))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $set))
  (func (export "leave") (call $exit (i32.const 1)))
  (func (export "rung") (result i32) (global.get $rung))))";

// F05
TEST_P(HostileMessages, SetsNoMoreTimersThanItMayAndEachRingsOnce) {
  covers("F05");
  Sandbox sandbox = attack(
      kTimer, {.execution_time_max = std::chrono::minutes(10), .message_queue_max = 100'000'000, .timers_max = 100});
  const std::int32_t count = times(5'000, 1'000'000);
  // Some ring while others are set, and make room; whatever was refused is counted, and nothing else is.
  const std::int32_t set = number(sandbox.call("set", {0, count}));
  EXPECT_GE(set, 100);
  EXPECT_EQ(met(sandbox, "timers_max"), static_cast<std::uint64_t>(count - set));
  expect_soon([&] {
    const std::int32_t rung = number(call(sandbox, "rung"));
    return rung == set ? "" : std::to_string(rung) + " of " + std::to_string(set);
  });
  // None of these rings meanwhile: exactly as many as it may.
  constexpr std::int32_t kFarAway = 3'600'000;
  EXPECT_EQ(number(sandbox.call("set", {kFarAway, 99})), 99);
  EXPECT_EQ(number(sandbox.call("set", {kFarAway, count})), 1);
  EXPECT_EQ(number(sandbox.call("set", {0, 1})), 0);
  EXPECT_EQ(met(sandbox, "timers_max"), static_cast<std::uint64_t>(count - set) + static_cast<std::uint64_t>(count));
  EXPECT_EQ(sandbox.snapshot()->info().timers, 100U);
  EXPECT_EQ(number(call(sandbox, "rung")), set);
}

// F05: far away, and then it exits; nothing of it is kept for what will never ring.
TEST_P(HostileMessages, TakesItsTimersAlong) {
  covers("F05");
  auto kept = std::make_shared<int>(0);
  SandboxSpec spec = hostile_spec(kTimer, {.timers_max = 100});
  spec.on_log = [kept](std::string_view, LogLevel, std::string_view) {};
  Sandbox sandbox = create(spec);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(number(sandbox.call("set", {INT32_MAX, 101})), 100);
    EXPECT_EQ(testing::not_kind(call(sandbox, "leave"), OutcomeKind::exited), "");
  }
  EXPECT_EQ(number(sandbox.call("set", {INT32_MAX, 101})), 100);
  EXPECT_EQ(number(call(sandbox, "rung")), 0);
  ASSERT_TRUE(runtime_->destroy(sandbox.id()));
  sandbox = *runtime_->find("canary-1");
  spec.on_log = nullptr;
  expect_soon([&] { return kept.use_count() == 1 ? "" : "the sandbox is still there"; });
}

// F10, Q18
TEST_P(HostileMessages, LogsNoFasterThanItMay) {
  covers("F10");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 32)
    (func (export "flood") (param $n i32)
      (loop (drop (call $log (i32.const 2) (i32.const 0) (i32.const 99)))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "line") (param i32) (result i32) (call $log (i32.const 2) (i32.const 0) (local.get 0)))))",
                                  {.log_bytes_per_second_max = 10'000});
  std::atomic<std::size_t> lines{0}, longest{0};
  spec.on_log = [&](std::string_view, LogLevel, std::string_view line) {
    ++lines;
    longest = std::max(longest.load(), line.size());
  };
  Sandbox sandbox = create(spec);
  EXPECT_EQ(number(sandbox.call("line", {1 << 20})), 4'096);
  EXPECT_EQ(number(sandbox.call("line", {100'000'000})), status(GuestError::out_of_bounds));
  EXPECT_EQ(longest, 4'096U);
  auto events = limits_met(sandbox);
  const auto outcome = sandbox.call("flood", {1'000});
  ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
  EXPECT_GE(outcome->counts.log_lines_dropped, 1U);
  EXPECT_EQ(lines - 1 + outcome->counts.log_lines_dropped, 1'000U);
  EXPECT_THAT(names(events), ElementsAre("limit.met m"));  // V7
  EXPECT_EQ(met(sandbox, "log_bytes_per_second_max"), outcome->counts.log_lines_dropped);
}

// F13, Q17
TEST_P(HostileMessages, AnswersWithMoreThanItMay) {
  covers("F13");
  Sandbox sandbox = attack(R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 16) (data (i32.const 0) "start")
    (func (export "f") (param $piece i32) (param $rounds i32) (result i32)
      (loop (drop (call $write (i32.const 0) (local.get $piece)))
        (br_if 0 (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
      (i32.const 7))))",
                           {.output_bytes_max = 100'000});
  for (const auto& [piece, rounds] : {std::pair(1 << 20, 1'024), std::pair(1'000, 50'000)}) {
    const auto outcome = sandbox.call("f", {piece, rounds});
    ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::output_limit), "");
    EXPECT_EQ(outcome->output.size(), 100'000U);
    EXPECT_EQ(outcome->output.substr(0, 5), "start");
    EXPECT_EQ(outcome->output_bytes_cut,
              static_cast<std::uint64_t>(piece) * static_cast<std::uint64_t>(rounds) - 100'000U);
    EXPECT_THAT(outcome->values, ElementsAre(Value(7)));
  }
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
  EXPECT_EQ(met(sandbox, "output_bytes_max"), 2U);
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileMessages);

}  // namespace
}  // namespace petri
