// The sources of modules that were refused, kept so that their sandboxes can be restarted: so many bytes in all.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace petri {

// A sandbox that fails keeps its source, until others that failed later need the room. Any thread. Every sandbox that
// is made or ends asks here, so that it takes no longer when many have failed.
class FailedSources {
 public:
  static constexpr std::uint64_t kBytesMax = std::uint64_t{64} << 20;
  // Called when the source goes, on the thread of another sandbox. Must not throw.
  using Drop = std::function<void()>;

  explicit FailedSources(std::uint64_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

  // Keeps the source of this owner, which is a number here and is never looked at, in place of one it had. Others lose
  // theirs, the oldest first, until all fit; one too large for all of the room loses its own.
  void add(const void* owner, std::uint64_t bytes, Drop drop) EXCLUDES(mutex_) {
    std::list<Kept> gone;
    {
      MutexLock lock(mutex_);
      forget(owner);
      bytes_ += bytes;
      kept_.push_back({owner, bytes, std::move(drop)});
      by_owner_.emplace(owner, std::prev(kept_.end()));
      while (bytes_ > bytes_max_) {
        bytes_ -= kept_.front().bytes;
        by_owner_.erase(kept_.front().owner);
        gone.splice(gone.end(), kept_, kept_.begin());
      }
    }
    for (const Kept& kept : gone) kept.drop();
  }
  // The owner has loaded its code, or is destroyed: its `drop` is not called.
  void remove(const void* owner) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    forget(owner);
  }
  std::uint64_t bytes() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Kept {
    const void* owner;
    std::uint64_t bytes;
    Drop drop;
  };

  void forget(const void* owner) REQUIRES(mutex_) {
    const auto found = by_owner_.find(owner);
    if (found == by_owner_.end()) return;
    bytes_ -= found->second->bytes;
    kept_.erase(found->second);
    by_owner_.erase(found);
  }

  const std::uint64_t bytes_max_;
  mutable Mutex mutex_;
  std::list<Kept> kept_ GUARDED_BY(mutex_);  // the oldest first
  std::unordered_map<const void*, std::list<Kept>::iterator> by_owner_ GUARDED_BY(mutex_);
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
