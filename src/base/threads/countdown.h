// Waiting for several pieces of work that others do.
#pragma once

#include "base/mutex.h"

namespace petri {

// Counts the pieces that have ended. Any thread.
class Countdown {
 public:
  explicit Countdown(unsigned count) : left_(count) {}
  Countdown(const Countdown&) = delete;
  Countdown& operator=(const Countdown&) = delete;

  // Once for each piece. After the last call it may be gone.
  void end_one() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (--left_ == 0) ended_.notify_all();
  }
  void wait() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (left_ > 0) ended_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  Condition ended_;
  unsigned left_ GUARDED_BY(mutex_);
};

}  // namespace petri
