// Time as an argument: the machine's, or one that a test moves by hand.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "petri/value.h"

namespace petri {

// Safe to use from any thread.
class Clock {
 public:
  using Duration = std::chrono::nanoseconds;
  using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;  // never jumps; for deadlines

  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual WallTime wall_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_now() const override { return std::chrono::system_clock::now(); }
};

// Stands still until it is advanced. Both times start at zero and move together.
class ManualClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(elapsed_.load()); }
  WallTime wall_now() const override { return wall_start_.load() + elapsed_.load(); }
  void advance(Duration duration) { elapsed_.store(elapsed_.load() + duration); }
  void set_wall(WallTime time) { wall_start_.store(time - elapsed_.load()); }

 private:
  std::atomic<Duration> elapsed_{Duration(0)};
  std::atomic<WallTime> wall_start_{WallTime(Duration(0))};
};

// Nanoseconds of a clock such as CLOCK_MONOTONIC or CLOCK_THREAD_CPUTIME_ID.
inline std::uint64_t kernel_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace petri
