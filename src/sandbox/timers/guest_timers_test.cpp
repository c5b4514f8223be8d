#include "sandbox/timers/guest_timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/process_fixture.h"
#include "sandbox/timers/timers_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

MATCHER_P2(IsSaved, left_ms, tag, "") { return arg.left_ms == left_ms && arg.tag == tag; }

// A process whose gate is closed, so that what rings stays in its mailbox.
class GuestTimersTest : public ::testing::Test {
 protected:
  GuestTimersTest() { process_.entrance().close_gate(Clock::TimePoint::max()); }
  void start(std::uint64_t milliseconds, std::int64_t tag) {
    EXPECT_EQ(guest_timers_.start(process_, 0, milliseconds, tag), 0);
  }
  void advance(Clock::Duration duration) { advance_timers(clock_, *timers_, duration); }

  ManualClock clock_;
  TestOwner owner_{2, SandboxLimits::of(Profile::standard), &clock_};
  Process& process_ =
      owner_.start("guest", R"((module (func (export "petri_handle") (result i32) (i32.const 0))))", Tier::interpreted);
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  GuestTimers guest_timers_{owner_, *timers_};
};

TEST_F(GuestTimersTest, RingInTheirOrderIntoTheMailbox) {
  start(20, 2);
  start(10, 1);
  start(30, 3);
  EXPECT_EQ(owner_.account().timers(), 3U);
  advance(20ms);
  EXPECT_THAT(process_.entrance().rung_timers(), ElementsAre(1, 2));
  EXPECT_THAT(guest_timers_.saved(process_), ElementsAre(IsSaved(10U, 3)));
  EXPECT_EQ(owner_.account().timers(), 1U);
}

TEST_F(GuestTimersTest, GoWithTheInstanceThatSetThem) {
  start(10, 1);
  guest_timers_.cancel(process_, process_.incarnation() + 1);
  EXPECT_EQ(owner_.account().timers(), 1U) << "another instance's";
  guest_timers_.cancel(process_, process_.incarnation());
  EXPECT_EQ(owner_.account().timers(), 0U);
  EXPECT_EQ(timers_->waiting(), 0U);
  advance(10ms);
  EXPECT_THAT(process_.entrance().rung_timers(), ElementsAre());
}

TEST_F(GuestTimersTest, AreReplacedByThoseOfASnapshot) {
  start(10, 1);
  guest_timers_.replace(process_, {{.left_ms = 40, .tag = 4}, {.left_ms = 5, .tag = 5}});
  EXPECT_THAT(guest_timers_.saved(process_), ElementsAre(IsSaved(5U, 5), IsSaved(40U, 4)));
}

TEST_F(GuestTimersTest, RingAgainWhenTheProcessGoesBack) {
  start(10, 1);
  start(20, 2);
  const auto at_the_switch = guest_timers_.pending(process_);
  advance(10ms);
  process_.entrance().replace_mailbox({});  // the new code has handled it
  guest_timers_.bring_back(process_, at_the_switch);
  advance(0ms);
  EXPECT_THAT(process_.entrance().rung_timers(), ElementsAre(1));
  EXPECT_THAT(guest_timers_.saved(process_), ElementsAre(IsSaved(10U, 2)));
}

TEST_F(GuestTimersTest, DoNotRingAgainWhileTheyWaitInTheMailbox) {
  start(10, 1);
  const auto at_the_switch = guest_timers_.pending(process_);
  advance(10ms);
  guest_timers_.bring_back(process_, at_the_switch);
  EXPECT_THAT(guest_timers_.saved(process_), ElementsAre());
  EXPECT_THAT(process_.entrance().rung_timers(), ElementsAre(1));
  const auto rung = guest_timers_.pending(process_);
  ASSERT_EQ(rung.size(), 1U) << "what waits in the mailbox belongs to the state of the switch, too";
  EXPECT_EQ(rung[0].tag, 1);
}

}  // namespace
}  // namespace petri
