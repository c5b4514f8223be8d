// The time and the memory that a runtime spends on finding out where interpreted guests trapped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace petri {

// The time is a second at once, and a tenth of all time in the long run, so that guests which trap again and again cost
// little more than before. The memory is that of the images which repetitions start from. They are not on the account
// of a sandbox: in the other tier there are none, and a guest may grow by as much there. Any thread may use it.
class RetraceBudget {
 public:
  static constexpr std::chrono::nanoseconds kBurst = std::chrono::seconds(1);
  static constexpr int kShare = 10;
  static constexpr std::uint64_t kImageBytesMax = std::uint64_t{64} << 20;  // in all
  static constexpr std::uint64_t kOneImageBytesMax = std::uint64_t{4} << 20;

  // True when there is time left.
  bool may_start(Clock::TimePoint now) EXCLUDES(mutex_);
  void spend(Clock::Duration time) EXCLUDES(mutex_);

  // Takes the memory for an image of this size; let_go() follows after true.
  bool try_keep(std::uint64_t image_bytes);
  void let_go(std::uint64_t image_bytes) { image_bytes_.fetch_sub(image_bytes, std::memory_order_relaxed); }
  std::uint64_t image_bytes() const { return image_bytes_.load(std::memory_order_relaxed); }

 private:
  Mutex mutex_;
  Clock::Duration spent_ GUARDED_BY(mutex_){0};
  Clock::TimePoint at_ GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> image_bytes_{0};
};

}  // namespace petri
