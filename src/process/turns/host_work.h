// Work that the host does for a sandbox around its guests: taking messages, starting and ending processes, timers.
#pragma once

#include <cstdint>

#include "process/process_services.h"

namespace petri {

// While this lives, this thread works for a sandbox. At its end the processor time that was spent, and for which nobody
// has paid meanwhile, is charged to the sandbox's share, as if its guests had spent it; no more than the time that has
// passed by the runtime's clock.
class HostWork {
 public:
  explicit HostWork(ProcessServices* services);  // nullptr: the work is the embedder's own
  explicit HostWork(ProcessServices& services) : HostWork(&services) {}
  ~HostWork();
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

  // Time of this thread that somebody has paid for.
  static void add_paid(std::uint64_t nanoseconds);

 private:
  void charge(std::uint64_t used_ns);

  ProcessServices* const services_;
  const Clock::TimePoint started_;
  const std::uint64_t started_ns_;
  const std::uint64_t paid_ns_;
};

}  // namespace petri
