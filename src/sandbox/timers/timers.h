// Things to be done later, each once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/threads/large_thread.h"
#include "petri/result.h"
#include "process/mailbox/timer_queue.h"

namespace petri {

// One thread, which must not be held up: what takes time is submitted elsewhere. What the host waits for (kills,
// time-outs, samples) comes before all timers of guests that are due: of those there may be any number. Any thread may
// call.
class Timers {
 public:
  using Callback = std::function<void()>;  // must not throw
  enum class Whose : std::uint8_t { hosts, guests };

  static Result<std::unique_ptr<Timers>> create(const Clock& clock);
  // Forgets what is not due yet.
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Calls back not before this time, on the one thread of the timers, never on the caller's. Those of one time are
  // called in the order they were set.
  TimerId at(Clock::TimePoint time, Callback callback, Whose whose = Whose::hosts) EXCLUDES(mutex_);
  // Returns false if it is being done, or has been.
  bool cancel(TimerId timer) EXCLUDES(mutex_);
  // Looks at the clock again: for clocks that are moved by hand.
  void wake() EXCLUDES(mutex_);
  std::size_t waiting() const EXCLUDES(mutex_);

 private:
  explicit Timers(const Clock& clock) : clock_(clock) {}
  void work() EXCLUDES(mutex_);
  bool next(Callback& callback) EXCLUDES(mutex_);
  using Queue = TimerQueue<Clock::TimePoint>;
  // The one to take from next, if anything is due there; else the one whose first is due first. None: nothing waits.
  Queue* next_queue(Clock::TimePoint now) REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  Queue hosts_ GUARDED_BY(mutex_), guests_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<LargeThread> thread_;
};

}  // namespace petri
