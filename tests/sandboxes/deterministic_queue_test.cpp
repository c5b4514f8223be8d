// A deterministic sandbox gives the same results, however many workers there are.
#include <mutex>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Passes a number on to one of three at random, one less each time, and now and then to itself later. Says what it got,
// and when.
constexpr std::string_view kGossip = R"((module
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "clock_ms" (func $clock (result i64)))
  (import "petri" "random" (func $random (result i64)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (import "petri" "message_tag" (func $tag (result i64)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "abc")
  (func $letter (param i64) (result i32) (i32.add (i32.const 97) (i32.wrap_i64 (i64.rem_u (local.get 0) (i64.const 26)))))
  (func $burn (param i32) (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "petri_handle") (result i32) (local $hop i32)
    (drop (call $read (i32.const 16) (i32.const 0) (i32.const 1)))
    (local.set $hop (i32.load8_u (i32.const 16)))
    (if (i32.eq (call $kind) (i32.const 3)) (then (local.set $hop (i32.wrap_i64 (call $tag)))))
    (call $burn (i32.const 120000))
    (i32.store8 (i32.const 32) (i32.add (i32.const 48) (call $kind)))
    (i32.store8 (i32.const 33) (i32.add (i32.const 48) (local.get $hop)))
    (i32.store8 (i32.const 34) (call $letter (call $clock)))
    (i32.store8 (i32.const 35) (call $letter (i64.and (call $random) (i64.const 1023))))
    (drop (call $log (i32.const 2) (i32.const 32) (i32.const 4)))
    (if (local.get $hop) (then
      (i32.store8 (i32.const 16) (i32.sub (local.get $hop) (i32.const 1)))
      (drop (call $send (i32.wrap_i64 (i64.rem_u (call $random) (i64.const 3))) (i32.const 1) (i32.const 16) (i32.const 1)))
      (if (i32.and (i32.eqz (i32.rem_u (local.get $hop) (i32.const 5))) (i32.gt_u (local.get $hop) (i32.const 7))) (then
        (drop (call $timer (i32.wrap_i64 (i64.rem_u (call $random) (i64.const 9)))
                           (i64.extend_i32_u (i32.sub (local.get $hop) (i32.const 7)))))))))
    (i32.const 0))))";

// How many messages come of one with this number.
std::size_t messages(int hop) {
  return 1 + (hop > 0 ? messages(hop - 1) : 0) + (hop % 5 == 0 && hop > 7 ? messages(hop - 7) : 0);
}

class DeterministicQueueTest : public ::testing::Test {
 protected:
  static SandboxSpec spec_of(std::string_view wat, std::uint64_t seed, Tier tier) {
    SandboxSpec spec{.id = "lane", .modules = {{"m", Source::wat(std::string(wat))}}, .seed = seed, .tier = tier};
    spec.deterministic = true;
    spec.tree = SupervisorSpec{.intensity = 1'000};
    for (const std::string name : {"a", "b", "c"}) {
      spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "m"});
    }
    return spec;
  }

  // The lines that the three log, from the first message to the last.
  static std::vector<std::string> trace(unsigned workers, Tier tier, std::uint64_t seed = 7) {
    constexpr int kFirst = 25;
    auto runtime = *Runtime::create({.workers = workers});
    std::vector<std::string> said;
    std::mutex mutex;
    SandboxSpec spec = spec_of(kGossip, seed, tier);
    spec.on_log = [&](std::string_view process, LogLevel, std::string_view line) {
      const std::lock_guard lock(mutex);
      said.push_back(std::string(process) + " " + std::string(line));
    };
    Sandbox sandbox = *runtime->create_sandbox(spec);
    EXPECT_TRUE(sandbox.send(std::string(1, kFirst), "a"));
    EXPECT_EQ(testing::eventually(*runtime,
                                  [&] {
                                    const std::lock_guard lock(mutex);
                                    return said.size() >= messages(kFirst) ? std::string()
                                                                           : std::to_string(said.size()) + " letters";
                                  }),
              "");
    EXPECT_TRUE(runtime->destroy("lane"));
    EXPECT_THAT(said, SizeIs(messages(kFirst)));
    return said;
  }
};

TEST_F(DeterministicQueueTest, SaysTheSameHoweverManyWorkersThereAre) {  // X15
  const std::vector<std::string> first = trace(1, Tier::interpreted);
  EXPECT_EQ(trace(2, Tier::interpreted), first);
  EXPECT_EQ(trace(8, Tier::interpreted), first);
  EXPECT_EQ(trace(8, Tier::compiled), first);
  EXPECT_EQ(trace(2, Tier::automatic), first);
  EXPECT_NE(trace(2, Tier::interpreted, 8), first) << "another seed";
}

// Adds what it is sent to a number, and dies of a 9; a call asks another for the number.
constexpr std::string_view kSummer = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "abc") (data (i32.const 8) "\05\09\07")
  (global $sum (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (i32.store8 (i32.const 16) (i32.const 0))
    (drop (call $read (i32.const 16) (i32.const 0) (i32.const 1)))
    (if (i32.eq (i32.load8_u (i32.const 16)) (i32.const 9)) (then unreachable))
    (global.set $sum (i32.add (global.get $sum) (i32.load8_u (i32.const 16))))
    (i32.store (i32.const 16) (global.get $sum))
    (drop (call $write (i32.const 16) (i32.const 4))) (i32.const 0))
  (func (export "post") (drop (call $send (i32.const 1) (i32.const 1) (i32.const 8) (i32.const 1)))
    (drop (call $send (i32.const 1) (i32.const 1) (i32.const 9) (i32.const 1)))
    (drop (call $send (i32.const 1) (i32.const 1) (i32.const 10) (i32.const 1))))
  (func (export "ask") (param $timeout i32) (result i32) (local $size i32)
    (local.set $size (call $call (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 0) (local.get $timeout)))
    (if (i32.lt_s (local.get $size) (i32.const 0)) (then (return (local.get $size))))
    (drop (call $reply (i32.const 32) (i32.const 0) (i32.const 4))) (i32.load (i32.const 32)))))";

// A call between guests goes before what waits; a process that dies has been restarted before the next message.
TEST_F(DeterministicQueueTest, HandlesOneLetterAfterTheOtherAndRestartsInBetween) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    auto runtime = *Runtime::create({.workers = workers});
    Sandbox sandbox = *runtime->create_sandbox(spec_of(kSummer, 1, Tier::interpreted));
    for (int round = 0; round < 50; ++round) {
      EXPECT_EQ(testing::not_kind(sandbox.call("post", {}, {.process = "a"}), OutcomeKind::ok), "");
      // Behind 5, 9 and 7: the 9 has ended the one that knew the 5.
      EXPECT_EQ(testing::not_value(sandbox.call("ask", {0}, {.process = "a"}), 7), "") << workers << " workers";
      EXPECT_EQ(testing::not_value(sandbox.call("ask", {1'000}, {.process = "c"}), 7), "");
      ASSERT_EQ(sandbox.info().supervisor_restarts, static_cast<std::uint64_t>(2 * round) + 1);
      ASSERT_TRUE(sandbox.send(std::string(1, 9), "b"));
      ASSERT_EQ(testing::not_value(sandbox.call("ask", {0}, {.process = "c"}), 0), "");
      ASSERT_TRUE(sandbox.restart());
    }
  }
}

TEST_F(DeterministicQueueTest, RefusesAFunctionThatIsNotDeterministic) {
  RuntimeOptions options{.workers = 1};
  ASSERT_TRUE(options.host.define("dice", "roll", [] { return 4; }));
  auto runtime = *Runtime::create(std::move(options));
  SandboxSpec spec = spec_of(R"((module (import "dice" "roll" (func (result i32)))))", 1, Tier::interpreted);
  const auto refused = runtime->create_sandbox(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::link_error);
  EXPECT_THAT(refused.error().message, HasSubstr("dice"));
  spec.deterministic = false;
  EXPECT_TRUE(runtime->create_sandbox(spec));
}

// Time spent before is over, for a hook as for a handler.
TEST_F(DeterministicQueueTest, ContinuesTimeFromOneTaskToTheNext) {
  auto runtime = *Runtime::create({.workers = 1});
  std::vector<std::string> said;
  SandboxSpec spec = spec_of(R"((module
      (import "petri" "clock_ms" (func $clock (result i64))) (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
      (memory 1)
      (func $tell (i32.store8 (i32.const 0) (i32.add (i32.const 48) (i32.wrap_i64 (call $clock))))
        (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))))
      (func (export "burn") (local $n i32) (call $tell) (local.set $n (i32.const 500000))
        (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
      (func (export "petri_terminate") (result i32) (call $tell) (i32.const 0))))",
                             1, Tier::interpreted);
  spec.tree->children.erase(spec.tree->children.begin() + 1, spec.tree->children.end());
  spec.on_log = [&said](std::string_view, LogLevel, std::string_view line) { said.emplace_back(line); };
  Sandbox sandbox = *runtime->create_sandbox(spec);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(testing::not_kind(sandbox.call("burn"), OutcomeKind::ok), "");
  ASSERT_TRUE(sandbox.stop());
  EXPECT_THAT(said, ::testing::ElementsAre("0", "2", "5"));
}

TEST_F(DeterministicQueueTest, MakesRunsDeterministicToo) {
  auto runtime = *Runtime::create({.workers = 1});
  Sandbox sandbox = *runtime->create_sandbox(spec_of(R"((module (import "petri" "clock_ms" (func $clock (result i64)))
      (func (export "now") (result i64) (call $clock))))",
                                                     1, Tier::interpreted));
  EXPECT_EQ(testing::not_value(sandbox.run("m", "now"), Value(std::int64_t{0})), "");
}

}  // namespace
}  // namespace petri
