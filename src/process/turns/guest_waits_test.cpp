#include "process/turns/guest_waits.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/clock.h"

namespace petri {
namespace {

class GuestWaitsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Workers> workers_ = std::move(*Workers::create({.workers = 1}));
  Result<Outcome> wait_for_answer(Clock::TimePoint deadline) {
    return waits_.wait_for(reply_, deadline, *workers_, Workers::seat_of_this_thread());
  }

  Mutex mutex_;
  KillFlags flags_;
  GuestWaits waits_{mutex_, flags_};
  ReplyPtr reply_ = std::make_shared<Reply>();
};

TEST_F(GuestWaitsTest, EndWithTheGuest) {
  const GuestWaits::Wait wait(waits_, reply_);
  EXPECT_TRUE(wait);
  flags_.running().raise();
  waits_.end();
  EXPECT_EQ(reply_->wait().error().code, ErrorCode::cancelled);
}

TEST_F(GuestWaitsTest, AreRefusedOnceTheGuestWasEnded) {
  flags_.running().raise();
  EXPECT_FALSE(GuestWaits::Wait(waits_, reply_));
  EXPECT_EQ(wait_for_answer(Clock::TimePoint::max()).error().code, ErrorCode::cancelled);
}

// The handler that was meant has ended meanwhile, and its flag was cleared for the next.
TEST_F(GuestWaitsTest, OfTheNextHandlerAreLeftAlone) {
  const GuestWaits::Wait wait(waits_, reply_);
  waits_.end();
  EXPECT_FALSE(reply_->settled());
}

TEST_F(GuestWaitsTest, EndACompilationToo) {
  const std::stop_source compilation;
  const GuestWaits::Wait wait(waits_, compilation);
  flags_.running().raise();
  waits_.end();
  EXPECT_TRUE(compilation.stop_requested());
}

TEST_F(GuestWaitsTest, AreOverOnceTheThreadIsDoneWaiting) {
  static_cast<void>(GuestWaits::Wait(waits_, reply_));
  flags_.running().raise();
  waits_.end();
  EXPECT_FALSE(reply_->settled());
}

TEST_F(GuestWaitsTest, AreOverAtTheDeadline) {
  EXPECT_EQ(wait_for_answer(SystemClock().now()).error().code, ErrorCode::timeout);
  EXPECT_FALSE(reply_->give(Outcome())) << "nobody waits for it any more";
}

}  // namespace
}  // namespace petri
