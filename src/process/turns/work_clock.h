// When the work of a guest started, what it has used since, and what of that is on the account of its sandbox.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "petri/outcome.h"
#include "process/process_owner.h"
#include "process/turns/guest_turns.h"

namespace petri {

class LiveInstance;

// One piece of work after the other: a message, petri_init, petri_terminate. Only the thread that has entered the
// process starts and ends work; any thread may ask when it started, and what the last one left.
class WorkClock {
 public:
  explicit WorkClock(ProcessServices& services) : turns_(services) {}

  // Work starts now. What the work before it has left unpaid is forgotten: end() has paid for it.
  void start(Clock::TimePoint now);
  // Puts fuel and time on the account, and reports the limits that were met.
  void end(const LiveInstance& live, Clock::TimePoint now);

  GuestTurns& turns() { return turns_; }

  std::uint64_t started_ns() const { return started_ns_.load(std::memory_order_relaxed); }
  // Memory and tables, as of the end of the last work.
  std::uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  void forget_memory() { memory_bytes_.store(0); }

  // The work that started then is ended, because execution_time_max is shorter than it was. False: that work is over.
  bool try_mark_late(std::uint64_t started_ns);
  // Such work ends by the flag that ends everything, and looks cancelled. This gives the outcome its cause.
  void name_lateness(Outcome& outcome) const;

 private:
  GuestTurns turns_;
  std::atomic<std::uint64_t> started_ns_{0};
  std::atomic<std::uint64_t> late_ns_{0};  // the start of the work that was ended as late
  std::atomic<std::uint64_t> memory_bytes_{0};
};

}  // namespace petri
