#include "sandbox/timers/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sandbox/timers/timers_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

class TimersTest : public testing::Test {
 protected:
  Timers::Callback note(const std::string& name) {
    return [this, name] { rung_.push_back(name); };
  }
  void advance(Clock::Duration duration) { advance_timers(clock_, *timers_, duration); }

  ManualClock clock_;
  std::vector<std::string> rung_;  // by the timers' thread, and read once it has nothing to do
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
};

// 90,000 timers of guests at 0 ms made every time-out and kill 0.2-0.5 s late.
TEST_F(TimersTest, RingForTheHostBeforeAllGuestsWhoseTimersAreDue) {
  timers_->at(Clock::TimePoint(1s), note("guest 1"), Timers::Whose::guests);
  timers_->at(Clock::TimePoint(2s), note("guest 2"), Timers::Whose::guests);
  timers_->at(Clock::TimePoint(3s), note("host"));
  advance(3s);
  EXPECT_THAT(rung_, ElementsAre("host", "guest 1", "guest 2"));
}

TEST_F(TimersTest, RingInTheOrderOfTimeWhenNothingIsLate) {
  timers_->at(Clock::TimePoint(1s), note("guest 1"), Timers::Whose::guests);
  timers_->at(Clock::TimePoint(2s), note("host"));
  timers_->at(Clock::TimePoint(3s), note("guest 2"), Timers::Whose::guests);
  for (int i = 0; i < 3; ++i) advance(1s);
  EXPECT_THAT(rung_, ElementsAre("guest 1", "host", "guest 2"));
}

TEST_F(TimersTest, CancelWhatIsMeant) {
  const TimerId host = timers_->at(Clock::TimePoint(1s), note("host"));
  const TimerId guest = timers_->at(Clock::TimePoint(1s), note("guest"), Timers::Whose::guests);
  EXPECT_EQ(timers_->waiting(), 2U);
  EXPECT_TRUE(timers_->cancel(host));
  EXPECT_FALSE(timers_->cancel(host));
  advance(1s);
  EXPECT_THAT(rung_, ElementsAre("guest"));
  EXPECT_FALSE(timers_->cancel(guest));
}

}  // namespace
}  // namespace petri
