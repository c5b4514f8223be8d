//
#include <gmock/gmock.h>

#include "base/threads/large_thread.h"
#include "process/process.h"
#include "process/process_fixture.h"
#include "process/process_guests_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace petri
