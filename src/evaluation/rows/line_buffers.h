// A pool of strings whose memory is used again.
#pragma once

#include <string>
#include <vector>

#include "base/mutex.h"

namespace petri {

// Memory for the lines of a chunk goes from one to the next: making it anew costs more than filling it. Any thread.
class LineBuffers {
 public:
  static constexpr std::size_t kSpareMax = 64;
  static constexpr std::size_t kBytesMax = std::size_t{128} << 10;  // larger ones are not kept

  // An empty text, with room if there is a spare one.
  std::string take() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (spare_.empty()) return {};
    std::string text = std::move(spare_.back());
    spare_.pop_back();
    text.clear();
    return text;
  }
  void give(std::string text) EXCLUDES(mutex_) {
    if (text.capacity() > kBytesMax) return;
    const MutexLock lock(mutex_);
    if (spare_.size() < kSpareMax) spare_.push_back(std::move(text));
  }

 private:
  Mutex mutex_;
  std::vector<std::string> spare_ GUARDED_BY(mutex_);
};

}  // namespace petri
