#include <gmock/gmock.h>
#include <future>

#include "base/threads/large_thread.h"
#include "process/process.h"
#include "process/process_fixture.h"
#include "process/process_guests_fixture.h"

namespace petri {
namespace {

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
