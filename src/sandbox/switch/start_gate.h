// Starts of processes and switches of code keep out of each other's way.
#pragma once

#include <cstdint>
#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"
#include "process/turns/workers.h"

namespace petri {

// While code is being switched no process starts: it might be with code that is no longer active when it has. A start
// that is under way is waited for. Any thread; its lock is held for moments.
class StartGate {
 public:
  // A process is about to start; waits while starts are held. end() follows.
  void begin(Workers& workers) EXCLUDES(mutex_) {
    const Workers::Pause pause(workers);
    MutexLock lock(mutex_);
    while (held_) changed_.wait(mutex_);
    ++starts_;
  }
  void end() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    --starts_;
    changed_.notify_all();
  }

  // Returns false if somebody is starting right now. After true nobody starts until release().
  bool try_hold() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (starts_ > 0) return false;
    held_ = true;
    return true;
  }
  void release() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  // Until nobody is starting, or that time of the machine's clock.
  void wait_for_starts(Workers& workers, Clock::TimePoint deadline, const std::stop_token& stop) EXCLUDES(mutex_) {
    const Workers::Pause pause(workers);
    MutexLock lock(mutex_);
    while (starts_ > 0 && !stop.stop_requested()) {
      if (!changed_.wait_until(mutex_, deadline)) return;
    }
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::uint32_t starts_ GUARDED_BY(mutex_) = 0;  // of processes, under way
  bool held_ GUARDED_BY(mutex_) = false;
};

}  // namespace petri
