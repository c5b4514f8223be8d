#include "security/breaker.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;
using Admission = Breaker::Admission;

constexpr Clock::TimePoint kStart{};

// Five limits in ten seconds, a pause of one: the defaults.
class BreakerTest : public testing::Test {
 protected:
  void open_at(Clock::TimePoint when) {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker_.limit_met(when));
    EXPECT_TRUE(breaker_.limit_met(when));
  }
  const BreakerOptions options_;
  Breaker breaker_{options_};
};

TEST_F(BreakerTest, OpensWithTheLastOfSoManyLimits) {  // Q27
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker_.limit_met(kStart));
  EXPECT_EQ(breaker_.admit(kStart).admission, Admission::enter);
  const auto change = breaker_.limit_met(kStart + 10s);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->from, BreakerState::closed);
  EXPECT_EQ(change->to, BreakerState::open);
  EXPECT_EQ(change->opened, 1U);
  EXPECT_EQ(breaker_.admit(kStart + 10s).admission, Admission::refuse);
}

TEST_F(BreakerTest, OpensWithTheFirstLimitWhereOneIsEnough) {
  const BreakerOptions one{.limits_max = 1};
  Breaker breaker(one);
  ASSERT_TRUE(breaker.limit_met(kStart));
  EXPECT_EQ(breaker.state(), BreakerState::open);
}

TEST_F(BreakerTest, ForgetsWhatIsOlderThanItsWindow) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker_.limit_met(kStart));
  EXPECT_FALSE(breaker_.limit_met(kStart + 10s + 1ns));
  EXPECT_EQ(breaker_.state(), BreakerState::closed);
}

TEST_F(BreakerTest, LetsOneInAfterItsPause) {  // Q27
  open_at(kStart);
  EXPECT_EQ(breaker_.admit(kStart + 999ms).admission, Admission::refuse);
  const auto trial = breaker_.admit(kStart + 1s);
  EXPECT_EQ(trial.admission, Admission::trial);
  EXPECT_EQ(trial.change->to, BreakerState::half_open);
  EXPECT_EQ(breaker_.admit(kStart + 2s).admission, Admission::refuse);
  EXPECT_EQ(breaker_.trial_ended(true, kStart + 2s)->to, BreakerState::closed);
  EXPECT_EQ(breaker_.admit(kStart + 2s).admission, Admission::enter);
}

// Guests admitted before it opened may still be ended by limits, as often as they like.
TEST_F(BreakerTest, CountsNothingWhileItIsNotClosed) {
  open_at(kStart);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(breaker_.limit_met(kStart));
  EXPECT_EQ(breaker_.admit(kStart + 1s).admission, Admission::trial);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(breaker_.limit_met(kStart + 1s));
  EXPECT_EQ(breaker_.state(), BreakerState::half_open);
  EXPECT_EQ(breaker_.trial_ended(true, kStart + 1s)->to, BreakerState::closed);
  EXPECT_FALSE(breaker_.limit_met(kStart + 1s)) << "it begins with none";
  EXPECT_EQ(breaker_.opened(), 1U);
}

TEST_F(BreakerTest, OpensAgainWhenTheTrialDidNotGoWell) {
  open_at(kStart);
  EXPECT_EQ(breaker_.admit(kStart + 1s).admission, Admission::trial);
  EXPECT_FALSE(breaker_.limit_met(kStart + 1s)) << "it is the trial itself that was ended";
  EXPECT_EQ(breaker_.trial_ended(false, kStart + 1s)->opened, 2U);
  EXPECT_EQ(breaker_.admit(kStart + 1s).admission, Admission::refuse);
  EXPECT_EQ(breaker_.admit(kStart + 2s).admission, Admission::trial);
}

TEST_F(BreakerTest, CountsAnewAfterItClosed) {
  open_at(kStart);
  EXPECT_EQ(breaker_.admit(kStart + 1s).admission, Admission::trial);
  EXPECT_TRUE(breaker_.trial_ended(true, kStart + 1s));
  open_at(kStart + 1s);
  EXPECT_EQ(breaker_.opened(), 2U);
}

TEST_F(BreakerTest, IsClosedByARestart) {
  EXPECT_FALSE(breaker_.reset());
  open_at(kStart);
  EXPECT_EQ(breaker_.reset()->to, BreakerState::closed);
  EXPECT_FALSE(breaker_.trial_ended(false, kStart)) << "of a trial that began before";
  EXPECT_EQ(breaker_.admit(kStart).admission, Admission::enter);
}

TEST_F(BreakerTest, CountsFromZeroAfterARestart) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker_.limit_met(kStart));
  EXPECT_FALSE(breaker_.reset()) << "it was closed, and is";
  open_at(kStart);
  EXPECT_EQ(breaker_.opened(), 1U);
}

TEST(BreakerOff, NeverOpens) {
  const BreakerOptions off{.limits_max = 0};
  Breaker breaker(off);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(breaker.limit_met(kStart));
  EXPECT_EQ(breaker.admit(kStart).admission, Admission::enter);
}

}  // namespace
}  // namespace petri
