#include "process/mailbox/entrance.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "process/process_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kTally = R"((module
  (global $count (mut i32) (i32.const 0))
  (func (export "count") (result i32) (global.get $count))
  (func (export "petri_handle") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (i32.const 0))))";

class EntranceTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kIncarnation = 1;

  Message message() { return {.kind = MessageKind::call, .function = "count"}; }
  bool try_enter(std::uint64_t call = 0) {
    Message message = this->message();
    message.id = call;
    return entrance_.try_enter(message, Entrance::Line::keep);
  }
  // How many messages the guest has handled, once it has handled all that wait.
  std::int32_t handled() {
    const auto outcome = process_.call(message(), {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->values.at(0).i32() : -1;
  }

  TestOwner owner_;
  Process& process_ = owner_.start("a", kTally, Tier::interpreted);
  Entrance& entrance_ = process_.entrance();
};

TEST_F(EntranceTest, AdmitsOneAtATime) {
  EXPECT_TRUE(try_enter());
  EXPECT_TRUE(entrance_.at_work());
  EXPECT_FALSE(try_enter());
  EXPECT_FALSE(try_enter(7));
  entrance_.leave(true);
  EXPECT_FALSE(entrance_.at_work());
  EXPECT_TRUE(try_enter(7));
  entrance_.leave(true);
}

// A thread that entered without the lock must see what came meanwhile.
TEST_F(EntranceTest, HandlesWhatCameWhileSomebodyWasInside) {
  ASSERT_TRUE(try_enter());
  ASSERT_TRUE(process_.post({.bytes = "x"}));
  EXPECT_EQ(entrance_.mailbox_size(), 1U);
  entrance_.leave(true);
  EXPECT_EQ(handled(), 1);
}

TEST_F(EntranceTest, WakesWhoeverWaitsForItOnceItIsLeft) {
  ASSERT_TRUE(try_enter());
  auto idle = std::async(std::launch::async, [&] { return entrance_.wait_until_idle(Clock::TimePoint::max(), {}); });
  while (idle.wait_for(1ms) != std::future_status::ready) {
    if (entrance_.at_work()) entrance_.leave(true);  // before or after it waits
  }
  EXPECT_TRUE(idle.get());
}

// Callers change the state without the lock while others need it: nobody may be lost between the two.
TEST_F(EntranceTest, LosesNothingBetweenThoseWhoTakeTheLockAndThoseWhoDoNot) {
  constexpr int kMessages = 300;
  const auto calls = [&] {
    for (int i = 0; i < kMessages; ++i) EXPECT_TRUE(process_.call(message(), {}));
  };
  auto one = std::async(std::launch::async, calls), two = std::async(std::launch::async, calls);
  auto gates = std::async(std::launch::async, [&] {
    for (int i = 0; i < kMessages; ++i) {
      entrance_.close_gate(SystemClock().now());
      EXPECT_TRUE(entrance_.wait_until_idle(Clock::TimePoint::max(), {}));
      entrance_.open_gate();
    }
  });
  for (int i = 0; i < kMessages; ++i) EXPECT_TRUE(process_.post({.bytes = "x"}));
  one.get();
  two.get();
  gates.get();
  EXPECT_EQ(handled(), kMessages);
  EXPECT_EQ(entrance_.mailbox_size(), 0U);
}

TEST_F(EntranceTest, StopsWaitingAtTheDeadline) {
  ASSERT_TRUE(try_enter());
  EXPECT_FALSE(entrance_.wait_until_idle(SystemClock().now() + 1ms, {}));
  entrance_.leave(true);
  EXPECT_TRUE(entrance_.wait_until_idle(SystemClock().now(), {}));
}

TEST_F(EntranceTest, ForgetsACancellationWithTheCallItWasMeantFor) {
  ASSERT_TRUE(try_enter(7));
  std::optional<Message> waiting;
  EXPECT_EQ(entrance_.cancel(8, waiting), Entrance::Cancelled::unknown);
  EXPECT_EQ(entrance_.cancel(7, waiting), Entrance::Cancelled::interrupted);
  EXPECT_TRUE(entrance_.flags().running().is_raised());
  entrance_.leave(true);
  EXPECT_FALSE(entrance_.flags().running().is_raised());
  EXPECT_EQ(entrance_.cancel(7, waiting), Entrance::Cancelled::unknown);
  EXPECT_EQ(handled(), 0);
}

TEST_F(EntranceTest, KeepsTheFlagOfAKillRaised) {
  ASSERT_TRUE(try_enter());
  EXPECT_FALSE(entrance_.kill(kIncarnation + 1)) << "another incarnation";
  EXPECT_FALSE(entrance_.flags().running().is_raised());
  EXPECT_TRUE(entrance_.kill(kIncarnation));
  entrance_.leave(true);
  EXPECT_TRUE(entrance_.flags().running().is_raised());
  EXPECT_EQ(entrance_.try_take(), Entrance::Taken::down);
}

TEST_F(EntranceTest, IsTakenThoughItIsHeldWhereThatIsAskedFor) {
  EXPECT_TRUE(entrance_.hold().empty());
  EXPECT_FALSE(try_enter());
  EXPECT_EQ(entrance_.try_take(), Entrance::Taken::down);
  EXPECT_EQ(entrance_.try_take(Entrance::Frozen::take), Entrance::Taken::taken);
  EXPECT_EQ(entrance_.try_take(), Entrance::Taken::at_work);
  entrance_.put_back();
}

TEST_F(EntranceTest, MayBeRevivedUntilItIsStopped) {
  ASSERT_TRUE(try_enter());
  EXPECT_FALSE(entrance_.set_may_revive(true));
  entrance_.leave(false);
  EXPECT_TRUE(entrance_.enter_to_revive());
  EXPECT_FALSE(entrance_.enter_to_revive());
  entrance_.set_may_revive(true);
  entrance_.leave(false);
  EXPECT_EQ(entrance_.enter_to_stop(kIncarnation), Entrance::ToStop::gone);
  EXPECT_FALSE(entrance_.enter_to_revive());
}

}  // namespace
}  // namespace petri
