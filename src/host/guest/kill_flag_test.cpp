#include "host/guest/kill_flag.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "base/clock.h"

namespace petri {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

TEST(KillFlag, EndsAWaitThatWouldNeverEnd) {
  KillFlag flag;
  std::thread waiter([&flag] { wait_for_kill(&flag.flag(), kNever); });
  flag.raise();
  waiter.join();
  EXPECT_TRUE(flag.is_raised());
}

TEST(KillFlag, KeepsNobodyWhoComesAfterItWasRaised) {
  KillFlag flag;
  flag.raise();
  wait_for_kill(&flag.flag(), kNever);
  flag.clear();
  EXPECT_FALSE(flag.is_raised());
}

TEST(KillFlag, LetsAWaitLastAsLongAsItWasAskedFor) {
  const KillFlag flag;
  for (const std::atomic<std::uint32_t>* word :
       {&flag.flag(), static_cast<const std::atomic<std::uint32_t>*>(nullptr)}) {
    const std::uint64_t until = kernel_ns(CLOCK_MONOTONIC) + 3 * kMillisecond;
    wait_for_kill(word, until);
    EXPECT_GE(kernel_ns(CLOCK_MONOTONIC), until);
  }
}

}  // namespace
}  // namespace petri
