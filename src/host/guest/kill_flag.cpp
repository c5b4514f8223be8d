#include "host/guest/kill_flag.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "base/clock.h"

namespace petri {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

timespec to_timespec(std::uint64_t time_ns) {
  return {.tv_sec = static_cast<std::time_t>(time_ns / kSecond), .tv_nsec = static_cast<long>(time_ns % kSecond)};
}

}  // namespace

// The flag is a word the kernel can wait on: nobody who waits needs a lock or a descriptor of its own.
void KillFlag::raise() {
  flag_.store(1);
  ::syscall(SYS_futex, &flag_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void wait_for_kill(const std::atomic<std::uint32_t>* flag, std::uint64_t until_ns) {
  static const std::atomic<std::uint32_t> never{0};
  const std::atomic<std::uint32_t>& word = flag == nullptr ? never : *flag;
  while (word.load() == 0) {
    const std::uint64_t now = kernel_ns(CLOCK_MONOTONIC);
    if (now >= until_ns) return;
    // In hours, so that a time which never comes is one the kernel knows.
    const timespec until = to_timespec(std::min(until_ns, now + 3'600 * kSecond));
    ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  }
}

}  // namespace petri
