// The runs of a sandbox, from when they are asked for until they have ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "process/mailbox/reply.h"

namespace petri {

// Any thread.
struct SandboxRun {
  std::uint64_t id = 0;                      // by which it can be cancelled; 0: its caller waits for it
  ReplyPtr reply;                            // none: the same
  std::shared_ptr<void> charge;              // what it takes on the account
  Clock::TimePoint asked;                    // when it was
  std::stop_source stop;                     // ends it
  std::atomic<std::uint64_t> started_ns{0};  // 0: it waits for a thread
  std::atomic<bool> late{false};             // a lower execution_time_max has ended it
};
using SandboxRunPtr = std::shared_ptr<SandboxRun>;

// Any thread. Completions are called without a lock.
class RunTable {
 public:
  // Returns false if as many as may wait do already.
  bool add(const SandboxRunPtr& run, std::uint64_t waiting_max) EXCLUDES(mutex_);
  // It has a thread now. False: it was cancelled before.
  bool begin(const SandboxRunPtr& run, std::uint64_t now_ns) EXCLUDES(mutex_);
  // Returns false if it was cancelled before it started.
  bool remove(const SandboxRunPtr& run) EXCLUDES(mutex_);

  // Ends the run of this number, or keeps it from starting. False: there is none.
  bool cancel(std::uint64_t id) EXCLUDES(mutex_);
  // Keeps all that wait from starting.
  void cancel_waiting() EXCLUDES(mutex_);
  // The runs that have started.
  std::vector<SandboxRunPtr> started() const EXCLUDES(mutex_);
  std::size_t waiting() const EXCLUDES(mutex_);
  // When the last run was asked for.
  Clock::TimePoint last_asked() const EXCLUDES(mutex_);

 private:
  std::size_t waiting_now() const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<SandboxRunPtr> runs_ GUARDED_BY(mutex_);
  Clock::TimePoint last_asked_ GUARDED_BY(mutex_);
};

}  // namespace petri
