// The one order of everything in a deterministic sandbox, and its time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "process/mailbox/timer_queue.h"
#include "process/turns/workers.h"

namespace petri {

class Process;

// Handles one message at a time, in the order they were sent, and a timer when no message waits. Time is the fuel that
// was spent, at a million a millisecond, and the time that was skipped to the next timer. Any thread may call; the work
// runs on the workers, one piece after the other, without the lock. Processes call it with the lock of their Entrance,
// so only the lock of the workers is taken below its own.
class DeterministicQueue {
 public:
  using Callback = std::function<void()>;

  // `keep_alive` returns what the work needs and a task must hold. `settle` is called after each message: it waits
  // until all work is done that the message set off elsewhere, such as a restart.
  DeterministicQueue(Workers& workers, Workers::Client* client, std::function<std::shared_ptr<void>()> keep_alive,
                     Callback settle)
      : workers_(workers), client_(client), keep_alive_(std::move(keep_alive)), settle_(std::move(settle)) {}

  // A message waits in this process's mailbox.
  void add(std::shared_ptr<Process> process) EXCLUDES(mutex_);
  // Rings once nothing else waits and all that are due before it have rung.
  TimerId add_timer(std::uint64_t due_ms, Callback ring) EXCLUDES(mutex_);
  bool cancel_timer(TimerId timer) EXCLUDES(mutex_);

  // The fuel and the milliseconds that all work has spent and skipped which has ended.
  struct Time {
    std::uint64_t fuel = 0;
    std::uint64_t skipped_ms = 0;
    std::uint64_t ms() const;
  };
  Time time() const EXCLUDES(mutex_);
  void spend(std::uint64_t fuel, std::uint64_t skipped_ms) EXCLUDES(mutex_);

  // Nothing starts while this lives. The constructor waits for the work that has started, so it must not run on the
  // thread of that work.
  class Hold {
   public:
    explicit Hold(DeterministicQueue* queue);  // nullptr: nothing is held
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    DeterministicQueue* queue_;
  };

 private:
  bool may_start() const REQUIRES(mutex_);
  void start() REQUIRES(mutex_);
  void drain_elsewhere();
  void drain() EXCLUDES(mutex_);
  bool next(Callback& work) EXCLUDES(mutex_);

  Workers& workers_;
  Workers::Client* const client_;
  const std::function<std::shared_ptr<void>()> keep_alive_;
  const Callback settle_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<std::shared_ptr<Process>> waiting_ GUARDED_BY(mutex_);
  TimerQueue<std::uint64_t> timers_ GUARDED_BY(mutex_);  // by milliseconds
  Time time_ GUARDED_BY(mutex_);
  std::uint32_t holds_ GUARDED_BY(mutex_) = 0;
  bool running_ GUARDED_BY(mutex_) = false;  // a task is on its way, or at work
};

}  // namespace petri
