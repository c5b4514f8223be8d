#include "process/turns/host_work.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "process/process_fixture.h"

namespace petri {
namespace {

constexpr std::uint64_t kWorkNs = 30'000'000;

void work_for(std::uint64_t nanoseconds) {
  const std::uint64_t until = kernel_ns(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
  while (kernel_ns(CLOCK_THREAD_CPUTIME_ID) < until) continue;
}

// With cpu_percent_max of 10 a guest that sends itself messages had 36 % of a processor.
TEST(HostWork, IsOnTheAccountAndTheShareOfWhomItIsDoneFor) {
  TestOwner owner;
  {
    const HostWork work(owner);
    work_for(kWorkNs);
  }
  EXPECT_GE(owner.account().cpu_ns(), kWorkNs);
  EXPECT_GT(owner.cpu_share().free_at(), 0U);
}

TEST(HostWork, IsNotPaidTwice) {
  TestOwner owner;
  {
    const HostWork work(owner);
    work_for(kWorkNs);
    HostWork::add_paid(kWorkNs);              // by a guest that ran here
    const HostWork of_the_embedder(nullptr);  // a completion
    work_for(kWorkNs);
  }
  EXPECT_LT(owner.account().cpu_ns(), kWorkNs / 2);
}

}  // namespace
}  // namespace petri
