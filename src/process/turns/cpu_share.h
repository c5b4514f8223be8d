// Holds a tree to its share of the processors: who has used more than its share waits until it has not.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace petri {

// Time that is used moves a mark into the future, the faster the smaller the share; whoever comes before the mark waits
// for it. A little (kAheadNs) may be used ahead. Any thread.
class CpuShare {
 public:
  static constexpr std::uint64_t kAheadNs = 10'000'000;

  explicit CpuShare(std::uint64_t percent) : percent_(percent) {}
  void set_percent(std::uint64_t percent) { percent_.store(percent, std::memory_order_relaxed); }

  void charge(std::uint64_t used_ns, std::uint64_t now_ns) {
    const std::uint64_t cost = used_ns * 100 / std::max<std::uint64_t>(1, percent_.load(std::memory_order_relaxed));
    std::uint64_t mark = mark_ns_.load(std::memory_order_relaxed);
    const auto moved = [&] { return std::max(mark, now_ns - std::min(now_ns, used_ns)) + cost; };
    while (!mark_ns_.compare_exchange_weak(mark, moved(), std::memory_order_relaxed)) {
    }
  }
  // When the next piece of work may start; a time that is over means at once.
  std::uint64_t free_at() const {
    const std::uint64_t mark = mark_ns_.load(std::memory_order_relaxed);
    return mark - std::min(mark, kAheadNs);
  }

 private:
  std::atomic<std::uint64_t> percent_;
  std::atomic<std::uint64_t> mark_ns_{0};
};

}  // namespace petri
