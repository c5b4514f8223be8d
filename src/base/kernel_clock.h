// The kernel's clocks as one number.
#pragma once

#include <cstdint>
#include <ctime>

namespace petri {

// Nanoseconds of a clock such as CLOCK_MONOTONIC or CLOCK_THREAD_CPUTIME_ID.
inline std::uint64_t kernel_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace petri
