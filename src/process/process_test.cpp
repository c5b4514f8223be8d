#include "process/process.h"

#include <gmock/gmock.h>

#include <future>

#include "base/threads/large_thread.h"
#include "process/process_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

constexpr std::string_view kCounter = R"((module
  (global $count (mut i32) (i32.const 0))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

// Answers a call with its own input; what is sent is counted.
constexpr std::string_view kEcho = R"((module
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (memory (export "memory") 1)
  (global $sent (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (if (i32.eq (call $kind) (i32.const 2))
      (then (global.set $sent (i32.add (global.get $sent) (i32.const 1))) (return (i32.const 0))))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 65536)))
    (drop (call $write (i32.const 0) (call $size)))
    (i32.const 0))
  (func (export "sent") (result i32) (global.get $sent))))";

// Takes some turns.
constexpr std::string_view kLong = R"((module
  (func (export "petri_handle") (result i32)
    (local $left i32)
    (local.set $left (i32.const 6000000))
    (loop $again (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0))))";

// Calls the process named in its memory and hands its reply on.
std::string caller(std::string_view callee) {
  return R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) ")" +
         std::string(callee) + R"(")
  (data (i32.const 100) "hello")
  (global $last (mut i32) (i32.const 0))
  (func $ask (result i32)
    (global.set $last (call $call (i32.const 0) (i32.const )" +
         std::to_string(callee.size()) + R"()
      (i32.const 100) (i32.const 5) (i32.const 0)))
    (global.get $last))
  (func (export "ask") (result i32) (call $ask))
  (func (export "last") (result i32) (global.get $last))
  (func (export "petri_handle") (result i32)
    (local $size i32)
    (local.set $size (call $ask))
    (if (i32.gt_s (local.get $size) (i32.const 0))
      (then (drop (call $write (i32.const 200) (call $reply (i32.const 200) (i32.const 0) (i32.const 100))))))
    (i32.const 0))))";
}

class ProcessTest : public testing::TestWithParam<Tier> {
 protected:
  Process& start(const std::string& name, std::string_view wat) { return owner_.start(name, wat, GetParam()); }
  static Result<Outcome> call(Process& process, const std::string& function, std::vector<Value> arguments = {}) {
    return process.call({.kind = MessageKind::call, .function = function, .arguments = std::move(arguments)}, {});
  }
  static std::int32_t number(const Result<Outcome>& outcome) {
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome && !outcome->values.empty() ? outcome->values[0].i32() : -999;
  }

  TestOwner owner_;
};

TEST_P(ProcessTest, AnswersACallWithItsValues) {  // R01
  EXPECT_EQ(number(call(start("a", kCounter), "add", {Value(2), Value(3)})), 5);
}

TEST_P(ProcessTest, KeepsItsStateFromCallToCall) {
  Process& process = start("a", kCounter);
  EXPECT_EQ(number(call(process, "next")), 1);
  EXPECT_EQ(number(call(process, "next")), 2);
}

TEST_P(ProcessTest, RefusesWrongArgumentsWithoutEnteringTheGuest) {  // R03, R04
  Process& process = start("a", kCounter);
  const std::uint64_t before = owner_.account().fuel_used();
  EXPECT_EQ(call(process, "add", {Value(2)}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(call(process, "add", {Value(2), Value(2.5)}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(call(process, "subtract").error().code, ErrorCode::not_found);
  EXPECT_EQ(owner_.account().fuel_used(), before);
  EXPECT_TRUE(process.alive());
}

TEST_P(ProcessTest, EndsWithACrashAndNotifiesItsOwnerAndItsCaller) {
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);
  EXPECT_FALSE(process.alive());
  ASSERT_EQ(owner_.ended().size(), 1U);
  EXPECT_EQ(owner_.ended()[0].second->kind, OutcomeKind::trapped);
  EXPECT_EQ(owner_.account().processes(), 0U);
  EXPECT_EQ(owner_.account().memory_bytes(), 0U);
}

TEST_P(ProcessTest, HandlesWhatWaitedOnceItIsStartedAgain) {  // R21
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);
  std::promise<Result<Outcome>> promise;
  ASSERT_TRUE(process.post(
      {.kind = MessageKind::call, .function = "next", .reply = std::make_shared<Reply>([&](Result<Outcome> result) {
                                                        promise.set_value(result);
                                                      })}));
  ASSERT_TRUE(process.start(2, TestOwner::load(kCounter, GetParam()), {}));
  EXPECT_EQ(number(promise.get_future().get()), 1);
}

TEST_P(ProcessTest, DropsTheTimersOfAnInstanceThatHasEnded) {  // R23
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);
  ASSERT_TRUE(process.post({.kind = MessageKind::timer, .function = "next", .incarnation = 1}));
  ASSERT_TRUE(process.post({.kind = MessageKind::timer, .function = "next", .incarnation = 2}));
  EXPECT_EQ(owner_.account().messages(), 2U);
  ASSERT_TRUE(process.start(2, TestOwner::load(kCounter, GetParam()), {}));
  EXPECT_EQ(number(call(process, "next")), 2) << "one timer was set by this instance, the other by the one before";
  EXPECT_EQ(owner_.account().messages(), 0U);
}

TEST_P(ProcessTest, CancelsWhatWaitsWhenItDoesNotComeBack) {  // R21
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);
  std::promise<Result<Outcome>> promise;
  ASSERT_TRUE(process.post(
      {.kind = MessageKind::call, .function = "next", .reply = std::make_shared<Reply>([&](Result<Outcome> result) {
                                                        promise.set_value(result);
                                                      })}));
  process.close();
  EXPECT_EQ(promise.get_future().get().error().code, ErrorCode::cancelled);
  EXPECT_EQ(call(process, "next").error().code, ErrorCode::cancelled);
  EXPECT_EQ(owner_.account().messages(), 0U);
}

TEST_P(ProcessTest, AnswersTimeoutAndContinues) {  // R25
  Process& process = start("a", kCounter);
  // A call that no worker comes to in time is never started: then it is made again, until one is there to be cancelled.
  do {
    const auto deadline = SystemClock().now() + std::chrono::milliseconds(5);
    EXPECT_EQ(process.call({.kind = MessageKind::call, .function = "spin", .id = 4}, deadline).error().code,
              ErrorCode::timeout);
    EXPECT_TRUE(process.alive());
  } while (process.entrance().mailbox_size() > 0 || !process.cancel(4));
  owner_.wait_for_ended(1);
  EXPECT_EQ(owner_.ended()[0].second->kind, OutcomeKind::cancelled);
  EXPECT_EQ(owner_.late_answers, 1);
}

TEST_P(ProcessTest, CancelsNothingThatHasNoNumber) {
  Process& process = start("a", kCounter);
  EXPECT_FALSE(process.cancel(0));
  EXPECT_EQ(number(call(process, "next")), 1);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);  // so that what is posted waits
  ASSERT_TRUE(process.post({.kind = MessageKind::call, .function = "next", .reply = std::make_shared<Reply>()}));
  EXPECT_FALSE(process.cancel(0));
  EXPECT_EQ(process.entrance().mailbox_size(), 1U);
}

TEST_P(ProcessTest, MayBeCalledByTheCompletionOfACallThatIsCancelled) {
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);  // so that what is posted waits
  bool posted = false;
  const auto again = std::make_shared<Reply>([&](const Result<Outcome>& result) {
    EXPECT_EQ(result.error().code, ErrorCode::cancelled);
    posted = process.post({.bytes = "again"}).has_value();
  });
  ASSERT_TRUE(process.post({.kind = MessageKind::call, .bytes = "first", .reply = again, .id = 4}));
  EXPECT_TRUE(process.cancel(4));
  EXPECT_TRUE(posted);
  EXPECT_EQ(process.entrance().mailbox_size(), 1U);
  EXPECT_EQ(owner_.account().messages(), 1U);
  EXPECT_EQ(owner_.account().memory_bytes(), 0U);
  EXPECT_EQ(owner_.account().host_bytes(), bytes_of(Message{.bytes = "again"}));
}

TEST_P(ProcessTest, ReceivesMessagesOnceEachAndInOrder) {  // R16
  Process& process = start("a", kEcho);
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(process.post({.kind = MessageKind::send, .bytes = "x"}));
  EXPECT_EQ(number(call(process, "sent")), 1'000);
  EXPECT_EQ(owner_.account().messages(), 0U);
  EXPECT_EQ(owner_.account().memory_bytes(), 65'536U);
}

// A small message that was handled after a large one gave back the bytes of the large one, so a guest could have memory
// without end by sending to itself.
TEST_P(ProcessTest, GivesBackWhatEachMessageTook) {
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);  // so that what is posted waits
  ASSERT_TRUE(process.post({.kind = MessageKind::send, .bytes = std::string(60'000, 'x')}));
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(process.post({.kind = MessageKind::send, .bytes = "x"}));
  ASSERT_TRUE(process.start(2, TestOwner::load(kCounter, GetParam()), {}));
  EXPECT_EQ(number(call(process, "next")), 1);
  EXPECT_GE(owner_.account().taken(), owner_.account().memory_bytes());
  EXPECT_LT(owner_.account().taken(), owner_.account().memory_bytes() + 60'000);
}

TEST_P(ProcessTest, CallsAnotherAndReadsItsReply) {  // R05, R18
  start("echo", kEcho);
  const auto outcome = start("a", caller("echo")).call({.kind = MessageKind::call}, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->output, "hello");
}

TEST_P(ProcessTest, PaysForWhatItsCalleeUses) {  // R26
  Process& echo = start("echo", kEcho);
  start("deaf", R"((module (func (export "petri_handle") (result i32) (i32.const 0))))");
  const auto alone = echo.call({.kind = MessageKind::call, .bytes = "hello"}, {});
  ASSERT_TRUE(alone);
  // The same question costs its asker this much where the answer costs one.
  const auto asked_nothing = call(start("b", caller("deaf")), "ask");
  ASSERT_TRUE(asked_nothing);
  const std::uint64_t own = asked_nothing->fuel_used - 1;
  const std::uint64_t before = owner_.account().fuel_used();
  const auto asked = call(start("a", caller("echo")), "ask");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->fuel_used, own + alone->fuel_used);
  EXPECT_EQ(owner_.account().fuel_used() - before, asked->fuel_used) << "and nobody pays twice";
}

// R26: on what is left of its caller's fuel.
TEST_P(ProcessTest, BurnsNoMoreForACallerThanThatHasLeft) {
  constexpr std::uint64_t kFuel = 10'000;
  SandboxLimits limits = *owner_.account().limits();
  limits.call_fuel_max = kFuel;
  owner_.account().set_limits(limits);
  start("burner", R"((module (func (export "petri_handle") (result i32) (loop $again (br $again)) (i32.const 0))))");
  Process& process = start("a", caller("burner"));
  const std::uint64_t before = owner_.account().fuel_used();
  const auto asked = call(process, "ask");
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(number(asked), static_cast<int>(GuestError::cancelled)) << "what it has paid for it still does";
  EXPECT_EQ(asked->fuel_used, kFuel);
  EXPECT_EQ(owner_.account().fuel_used() - before, kFuel) << "of both together";
}

// A reply is on the account of whoever reads it: an answer there is no room for is no answer.
TEST_P(ProcessTest, HasNoReplyThatItsMemoryHasNoRoomFor) {
  constexpr std::uint64_t kPages = 65'536;
  start("talker", R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 16)
    (func (export "petri_handle") (result i32) (drop (call $write (i32.const 0) (i32.const 0x100000))) (i32.const 0))))");
  Process& process = start("a", caller("talker"));
  EXPECT_EQ(number(call(process, "ask")), 1 << 20);
  SandboxLimits limits = *owner_.account().limits();
  limits.memory_bytes_max = 34 * kPages;  // both memories, and the answer once
  owner_.account().set_limits(limits);
  EXPECT_EQ(number(call(process, "ask")), static_cast<int>(GuestError::limit_exceeded));
  EXPECT_TRUE(owner_.ended().empty());
}

// A gate keeps out all but calls whose chain started before it closed, and keeps what waits.
TEST_P(ProcessTest, LetsOnlyOldChainsThroughItsGate) {  // M14, M35
  Process& process = start("a", kEcho);
  process.entrance().close_gate(SystemClock().now());
  ASSERT_TRUE(process.post({.kind = MessageKind::send, .bytes = "x", .sender = "somebody"}));
  EXPECT_FALSE(process.entrance().at_work());
  EXPECT_EQ(process.entrance().mailbox_size(), 1U);
  const auto of_an_old_chain =
      process.call({.kind = MessageKind::call, .function = "sent", .sender = "friend", .depth = 1, .chain_ns = 1}, {});
  EXPECT_EQ(number(of_an_old_chain), 0) << "it goes before what waits";
  EXPECT_EQ(process.entrance().mailbox_size(), 1U);
  process.entrance().open_gate();
  EXPECT_EQ(number(call(process, "sent")), 1);
}

TEST_P(ProcessTest, MayBeCalledByThoseWhoseAnswerItHasHad) {  // R20
  start("a", caller("b"));
  start("b", caller("a"));
  EXPECT_TRUE(call(*owner_.find_process("a"), "ask"));
  EXPECT_EQ(number(call(*owner_.find_process("b"), "last")), static_cast<int>(GuestError::deadlock));
  EXPECT_EQ(number(call(*owner_.find_process("b"), "ask")), 0) << "a waits for nobody any more";
}

TEST_P(ProcessTest, RefusesACallThatClosesARing) {  // R20
  start("self", caller("self"));
  start("a", caller("b"));
  start("b", caller("c"));
  start("c", caller("a"));
  EXPECT_EQ(number(call(*owner_.find_process("self"), "ask")), static_cast<int>(GuestError::deadlock));
  EXPECT_TRUE(call(*owner_.find_process("a"), "ask"));
  EXPECT_EQ(number(call(*owner_.find_process("c"), "last")), static_cast<int>(GuestError::deadlock));
  EXPECT_TRUE(owner_.ended().empty());
}

TEST_P(ProcessTest, NestsSixteenCallsAndRefusesTheNext) {  // R19
  for (int i = 0; i < 18; ++i) start("p" + std::to_string(i), caller("p" + std::to_string(i + 1)));
  start("p18", kEcho);
  EXPECT_TRUE(call(*owner_.find_process("p0"), "ask"));
  EXPECT_EQ(number(call(*owner_.find_process("p15"), "last")), 0);
  EXPECT_EQ(number(call(*owner_.find_process("p16"), "last")), static_cast<int>(GuestError::too_deep));
  EXPECT_TRUE(owner_.ended().empty());
}

TEST_P(ProcessTest, CannotFindAProcessThatIsNotThere) {  // P08
  EXPECT_EQ(number(call(start("a", caller("nobody")), "ask")), static_cast<int>(GuestError::not_found));
}

// Nobody would ever see it: R16 promises that a message that was taken arrives.
TEST_P(ProcessTest, RefusesMessagesWithoutAHandler) {
  Process& process = start("deaf", R"((module (func (export "crash") unreachable)))");
  const std::string_view why =
      "the process deaf takes no messages: its module exports no function petri_handle; export petri_handle () -> i32 "
      "from it, or call a function that it exports";
  EXPECT_EQ(process.post({.bytes = "1234"}).error().message, why);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);
  EXPECT_EQ(process.post({.bytes = "1234"}).error().message, why) << "while it is down, too";
  EXPECT_EQ(owner_.account().messages(), 0U);
  EXPECT_EQ(owner_.account().host_bytes(), 0U);
}

TEST_P(ProcessTest, HoldsTheQueueToItsLimit) {  // Q13, Q14
  SandboxLimits limits = *owner_.account().limits();
  limits.message_queue_max = 3;
  limits.message_bytes_max = 4;
  owner_.account().set_limits(limits);
  Process& process = start("a", kCounter);
  EXPECT_EQ(call(process, "crash")->kind, OutcomeKind::trapped);  // so that what is posted waits
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(process.post({.bytes = "1234"}));
  EXPECT_EQ(process.post({.bytes = "1234"}).error().code, ErrorCode::queue_full);
  EXPECT_EQ(process.post({.bytes = "12345"}).error().code, ErrorCode::too_large);
  EXPECT_EQ(process.entrance().mailbox_size(), 3U);
  EXPECT_THAT(owner_.met(), ElementsAre("message_queue_max", "message_bytes_max"));
}

TEST_P(ProcessTest, HoldsTheTreeToItsMemory) {  // Q06, Q07
  SandboxLimits limits = *owner_.account().limits();
  limits.memory_bytes_max = 3 * 65'536;
  owner_.account().set_limits(limits);
  for (int i = 0; i < 3; ++i) start("p" + std::to_string(i), kEcho);
  const auto fourth = owner_.add("p3").start(1, TestOwner::load(kEcho, GetParam()), {});
  EXPECT_EQ(fourth->kind, OutcomeKind::memory_limit);
  EXPECT_EQ(fourth->cause, "memory_bytes_max");
  EXPECT_EQ(owner_.account().memory_bytes(), 3 * 65'536U);
}

TEST_P(ProcessTest, IsStoppedOnceItIsKilledThoughItNeverEnds) {  // S18
  Process& process = start("a", kCounter);
  ASSERT_TRUE(process.post({.function = "spin"}));
  auto stopped = std::async(std::launch::async, [&] { process.stop(1); });
  process.kill(1);
  stopped.get();
  EXPECT_FALSE(process.alive());
  EXPECT_EQ(owner_.account().processes(), 0U);
}

// A kill may come before the start it is meant for; the next start is not its business.
TEST_P(ProcessTest, IsNotStartedOnceItWasKilledBefore) {  // S18
  constexpr std::string_view kSpinsAtStart =
      R"((module (func (export "petri_init") (result i32) (loop $again (br $again)) (i32.const 0))))";
  SandboxLimits limits = *owner_.account().limits();
  limits.call_fuel_max = 1'000'000;
  owner_.account().set_limits(limits);
  Process& process = owner_.add("a");
  process.kill(1);
  const auto killed = process.start(1, TestOwner::load(kSpinsAtStart, GetParam()), {});
  ASSERT_TRUE(killed) << killed.error().message;
  EXPECT_EQ(killed->kind, OutcomeKind::cancelled);
  EXPECT_LT(killed->fuel_used, limits.call_fuel_max);
  EXPECT_FALSE(process.alive());
  EXPECT_EQ(owner_.account().processes(), 0U);
  const auto next = process.start(2, TestOwner::load(kSpinsAtStart, GetParam()), {});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->kind, OutcomeKind::out_of_fuel);
}

TEST_P(ProcessTest, AnswersBesideManyThatNeverEnd) {  // X06
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(start("burner" + std::to_string(i), kCounter).post({.function = "spin"}));
  }
  Process& process = start("a", kCounter);
  EXPECT_EQ(number(process.call({.kind = MessageKind::call, .function = "next"},
                                SystemClock().now() + std::chrono::seconds(60))),
            1);
}

// A thread of little stack lends its seat to the one that runs its guests: a turn taken there is given back.
TEST_P(ProcessTest, GivesItsPermitBackWhicheverThreadItsGuestIsOn) {
  SandboxLimits limits = *owner_.account().limits();
  limits.call_depth_max = 8'192;  // more than the thread has stack for
  TestOwner owner(1, limits);
  owner.start("long", kLong, GetParam());
  Process& first = owner.start("a", caller("long"), GetParam());
  {
    const auto thread = LargeThread::start({.stack_bytes = std::size_t{1} << 20},
                                           [&] { EXPECT_TRUE(first.call({.kind = MessageKind::call}, {})); });
    ASSERT_TRUE(thread) << thread.error().message;
  }
  Process& other = owner.start("b", kCounter, GetParam());
  EXPECT_EQ(number(other.call({.kind = MessageKind::call, .function = "next"},
                              SystemClock().now() + std::chrono::seconds(60))),
            1);
}

INSTANTIATE_TEST_SUITE_P(BothTiers, ProcessTest, testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
