// The timers that the guests of one sandbox have set.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "process/process.h"
#include "sandbox/timers/timers.h"

namespace petri {

struct GuestTimer {
  std::uint64_t due_ms = 0;  // by GuestTimers::now_ms()
  std::int64_t tag = 0;
};

// A timer as a snapshot keeps it: the sandbox it comes into has another time.
struct SavedTimer {
  std::uint64_t left_ms = 0;
  std::int64_t tag = 0;
};

// A timer belongs to the instance that set it and goes with it; timers_max and memory_bytes_max of the sandbox hold for
// all. Any thread. Its lock is held while it asks a process for its mailbox, so nobody comes here with a process's
// lock.
class GuestTimers {
 public:
  // Both outlive it; what waits keeps the services alive.
  GuestTimers(ProcessServices& services, Timers& timers) : services_(services), timers_(timers) {}

  // The time that timers go by: that of the deterministic queue if there is one, else the clock's.
  std::uint64_t now_ms() const;

  // For a guest on its own thread: 0, or a GuestError. `guest_now_ms` is what the guest takes for now.
  std::int32_t start(Process& by, std::uint64_t guest_now_ms, std::uint64_t milliseconds, std::int64_t tag)
      EXCLUDES(mutex_);
  // Cancels the timers of this instance.
  void cancel(const Process& process, std::uint64_t incarnation) EXCLUDES(mutex_);

  // All below are about the instance that the process has now.

  // None of its timers rings from now on, and what has rung is in its mailbox.
  void settle(const Process& process) EXCLUDES(mutex_);
  std::vector<SavedTimer> saved(const Process& process) const EXCLUDES(mutex_);
  // In place of those it has. Those that do not fit into the limits are left out.
  void replace(Process& process, const std::vector<SavedTimer>& timers) EXCLUDES(mutex_);
  // Timers that wait, and those that have fired and are still in the mailbox, as of now.
  std::vector<GuestTimer> pending(const Process& process) EXCLUDES(mutex_);
  // The process is again where it was when these were pending(): what has rung since rings again, unless it still waits
  // in the mailbox.
  void bring_back(Process& process, const std::vector<GuestTimer>& timers) EXCLUDES(mutex_);

 private:
  using Owner = std::pair<const Process*, std::uint64_t>;  // a process and the number of its instance
  using Waiting = std::unordered_map<TimerId, GuestTimer>;
  static Owner owner_of(const Process& process) { return {&process, process.incarnation()}; }

  void add(Process& by, std::uint64_t due_ms, std::uint64_t milliseconds, std::int64_t tag) EXCLUDES(mutex_);
  void ring(const std::weak_ptr<Process>& process, std::uint64_t incarnation, const TimerId& timer) EXCLUDES(mutex_);
  // The timers of the instance that a process has now; nullptr if it has none.
  const Waiting* waiting_of(const Process& process) const REQUIRES(mutex_);
  void wait_until_rung(const Owner& owner) REQUIRES(mutex_);

  ProcessServices& services_;
  Timers& timers_;
  struct All {
    std::map<Owner, Waiting> waiting;
    std::multiset<Owner> ringing;  // on their way to the mailbox
    Condition rung;
  };
  mutable Mutex mutex_;
  std::unique_ptr<All> all_ GUARDED_BY(mutex_);  // none: no guest has ever set one, as in most sandboxes
};

}  // namespace petri
