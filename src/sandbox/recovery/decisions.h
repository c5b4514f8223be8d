// Decisions that are under way after a crash that was answered.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "process/turns/workers.h"

namespace petri {

// Once a crash was answered, somebody decides what becomes of the sandbox: a trial rolls its module back, or recovery
// takes its step. A verb that comes after the answer waits for that: its result does not depend on how soon it comes.
// Any thread; its lock is held for moments.
class Decisions {
 public:
  // Before anybody can see the crash.
  void start() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++under_way_;
  }
  void end() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    --under_way_;
    decided_.notify_all();
  }
  bool any() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return under_way_ > 0;
  }
  // Until none is under way, or that time of the machine's clock; gives the worker's permit back meanwhile.
  void wait(Workers& workers, Clock::TimePoint deadline) EXCLUDES(mutex_) {
    const Workers::Pause pause(workers);
    MutexLock lock(mutex_);
    while (under_way_ > 0) {
      if (!decided_.wait_until(mutex_, deadline)) return;
    }
  }

 private:
  mutable Mutex mutex_;
  Condition decided_;
  std::uint32_t under_way_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
