// Counters that many threads add to at once, in a few nanoseconds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace petri {

constexpr std::size_t kCounterShards = 8;

// The shard that this thread adds to: the next one, the first time it asks.
inline std::size_t counter_shard() noexcept {
  static std::atomic<std::size_t> threads{0};
  thread_local std::size_t shard = kCounterShards;
  if (shard == kCounterShards) shard = threads.fetch_add(1, std::memory_order_relaxed) % kCounterShards;
  return shard;
}

// Each shard has cache lines of its own, so that threads seldom wait for one another. A sum that is read while others
// add has some of what they add at that moment, and never less than one that was read before.
template <std::size_t Size>
class ShardedCounters {
 public:
  void add(std::size_t counter, std::uint64_t count = 1) noexcept {
    shards_[counter_shard()].counts[counter].fetch_add(count, std::memory_order_relaxed);
  }
  std::uint64_t sum(std::size_t counter) const noexcept {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.counts[counter].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr std::size_t kCacheLineBytes = 64;
  struct alignas(kCacheLineBytes) Shard {
    std::array<std::atomic<std::uint64_t>, Size> counts{};
  };
  std::array<Shard, kCounterShards> shards_;
};

}  // namespace petri
