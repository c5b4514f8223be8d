// The circuit breaker of a sandbox: closed while all is well; open, so that calls are refused, after too many ending
// limits; half open while one call is tried.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "petri/policy.h"
#include "security/repeated_failures.h"

namespace petri {

// Any thread; time is an argument, and none of the calls wait. A closed breaker costs a caller one load.
class Breaker {
 public:
  // The options outlive it.
  explicit Breaker(const BreakerOptions& options) : options_(options) {}

  // A change of state. The caller whose request caused it gets it, exactly once, and reports it.
  struct Change {
    BreakerState from, to;
    std::uint64_t opened;  // how often so far
  };
  enum class Admission : std::uint8_t {
    enter,
    trial,   // trial_ended() must follow
    refuse,  // the call must not be made: `busy`
  };
  struct Admitted {
    Admission admission = Admission::enter;
    std::optional<Change> change;
  };
  // Asked before each call or message from outside.
  Admitted admit(Clock::TimePoint now) {
    if (state_.load(std::memory_order_relaxed) == BreakerState::closed) [[likely]]
      return {};
    return admit_slowly(now);
  }

  // A limit has ended one of its processes. Counts only while closed.
  std::optional<Change> limit_met(Clock::TimePoint now);
  // The admitted trial has ended: `well` closes the breaker, otherwise it opens for another pause.
  std::optional<Change> trial_ended(bool well, Clock::TimePoint now);
  // Closes it and forgets all failures, as when the sandbox is restarted.
  std::optional<Change> reset();

  const BreakerOptions& options() const { return options_; }
  BreakerState state() const { return state_.load(std::memory_order_relaxed); }
  // How often it has opened so far.
  std::uint64_t opened() const;

 private:
  // Made with the first limit: most sandboxes never meet one, and there may be a million of them.
  struct Memory {
    Mutex mutex;
    RepeatedFailures failures GUARDED_BY(mutex);
    Clock::TimePoint open_until GUARDED_BY(mutex);
    std::uint64_t opened GUARDED_BY(mutex) = 0;
  };
  Memory& memory();
  Admitted admit_slowly(Clock::TimePoint now);
  Change become(BreakerState state, const Memory& memory) REQUIRES(memory.mutex);
  Change open(Clock::TimePoint now, Memory& memory) REQUIRES(memory.mutex);

  const BreakerOptions& options_;
  std::atomic<BreakerState> state_{BreakerState::closed};
  std::once_flag made_;
  std::unique_ptr<Memory> memory_;
  std::atomic<bool> has_memory_{false};
};

}  // namespace petri
