// The use of a sandbox: now, and as the sampler has seen it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

#include "base/mutex.h"
#include "petri/events.h"
#include "process/account/tree_account.h"
#include "process/turns/guest_threads.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/standing.h"
#include "telemetry/metrics/threshold.h"
#include "telemetry/usage/usage_history.h"

namespace petri {

// Any thread; nothing here waits for a guest or for a structural change. Its lock guards the history alone and is taken
// with no other.
class UsageReport {
 public:
  // All of it outlives the report, but what belongs to the runtime is touched only while the sandbox exists.
  struct Parts {
    const Standing& standing;
    const ProcessTable& processes;
    const TreeAccount& account;
    const GuestThreads& threads;
    const GuestThreads::Share& share;
    const Clock& clock;
    Journal& journal;
  };
  UsageReport(const Parts& parts, std::size_t samples_max) : parts_(parts), history_(samples_max) {}

  // The share of a processor is that since the last sample, or what that one saw if it is younger than half a second.
  Usage now() const EXCLUDES(mutex_);
  std::vector<UsageSample> history() const EXCLUDES(mutex_);
  // Adds to the history, and reports use and each limit of which four fifths are used. Called from time to time, by one
  // thread.
  void sample() EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kWatchedLimits = 3;

  Usage usage_over(std::chrono::nanoseconds window_min) const EXCLUDES(mutex_);
  std::size_t room_wanted() const EXCLUDES(mutex_);
  void add(const UsageSample& sample) EXCLUDES(mutex_);

  const Parts parts_;
  mutable Mutex mutex_;
  UsageHistory history_ GUARDED_BY(mutex_);
  std::array<WarningLatch, kWatchedLimits> warnings_;
};

}  // namespace petri
