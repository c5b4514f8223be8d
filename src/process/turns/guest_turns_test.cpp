#include "process/turns/guest_turns.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "process/process_fixture.h"
#include "process/turns/process_time.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// A guest of a sandbox that may have a fifth of a core, and has 10 ms once it wants more.
class GuestTurnsTest : public ::testing::Test {
 protected:
  static SandboxLimits a_fifth() {
    SandboxLimits limits = SandboxLimits::of(Profile::standard);
    limits.cpu_percent_max = 20;
    limits.cpu_grace = std::chrono::milliseconds(10);
    return limits;
  }
  GuestTurnsTest() {
    clock_.advance(1h);
    turns_.begin(now_ns());
  }
  HostSettings settings() const {
    HostSettings settings;
    settings.clock = &clock_;
    return settings;
  }
  std::uint64_t now_ns() const { return to_ns(clock_.now()); }
  // Returns whether it continues after a turn. Nothing waits: its deadline has passed.
  bool continues() { return turns_.next(context_, 0, bounds()) != 0; }
  GuestTurns::Bounds bounds() { return {.seat = Workers::seat_of_this_thread(), .kill = kill_, .deadline_ns = 0}; }
  void starts_other_work() {
    turns_.begin(now_ns());
    turns_.wait_for_share(now_ns(), bounds());
  }
  void others_use(std::chrono::nanoseconds time) {
    owner_.cpu_share().charge(static_cast<std::uint64_t>(time.count()), now_ns());
  }
  // It has a processor for a turn, or is in a callee meanwhile.
  void runs() {
    const std::uint64_t turn_ns = static_cast<std::uint64_t>(owner_.workers().turn().count());
    const std::uint64_t until = kernel_ns(CLOCK_THREAD_CPUTIME_ID) + turn_ns;
    while (kernel_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
    clock_.advance(20ms);
  }
  void is_away() {
    clock_.advance(20ms);
    turns_.add_away(20'000'000);
  }

  ManualClock clock_;
  TestOwner owner_{1, a_fifth(), &clock_};
  HostContext context_{settings(), 1};
  GuestTurns turns_{owner_};
  const Workers::Visit visit_{owner_.workers()};
  const std::atomic<std::uint32_t> kill_{0};
};

TEST_F(GuestTurnsTest, EndOneThatIsHeldToTheShareForLongerThanTheGrace) {
  others_use(1s);
  EXPECT_TRUE(continues());
  runs();
  EXPECT_FALSE(continues());
  EXPECT_EQ(context_.ended_by, "cpu_percent_max");
}

// Its callee was ended for that, and the caller after it: the share was still used up when it was looked at twice.
TEST_F(GuestTurnsTest, DoNotEndACallerForWhatItsCalleeHasUsed) {
  EXPECT_TRUE(continues());
  others_use(1s);
  is_away();
  EXPECT_TRUE(continues());
  is_away();  // held to the share
  EXPECT_TRUE(continues());
  EXPECT_EQ(context_.ended_by, "");
}

// It was held when it started, and comes to its first call while the sandbox is still ahead of its share.
TEST_F(GuestTurnsTest, DoNotEndOneThatHasHardlyRunSinceItsWorkStarted) {
  others_use(1s);
  EXPECT_TRUE(continues());
  runs();
  starts_other_work();
  is_away();
  EXPECT_TRUE(continues());
  runs();
  EXPECT_FALSE(continues()) << "this time it was its own doing";
}

// Callers bring threads along, as many as they have: beyond its short first turn each waits for a permit.
TEST_F(GuestTurnsTest, LineUpACallersThreadAfterItsFirstTurn) {  // X06
  EXPECT_FALSE(bounds().seat.holds_permit);
  EXPECT_EQ(owner_.workers().first_turn(bounds().seat), owner_.workers().turn() / 4);
  EXPECT_TRUE(continues());
  EXPECT_TRUE(bounds().seat.holds_permit);
  EXPECT_EQ(owner_.workers().first_turn(bounds().seat), owner_.workers().turn());
}

TEST_F(GuestTurnsTest, GiveTheWholeGraceAgainOnceTheShareWasKept) {
  others_use(1s);
  EXPECT_TRUE(continues());
  clock_.advance(10s);
  turns_.add_away(10'000'000'000);
  EXPECT_TRUE(continues());
  others_use(1s);
  runs();
  EXPECT_TRUE(continues());
  runs();
  EXPECT_FALSE(continues());
}

}  // namespace
}  // namespace petri
