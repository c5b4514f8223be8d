#include "process/turns/run_turns.h"

#include "base/clock.h"
#include "process/process_services.h"
#include "process/turns/process_time.h"

namespace petri {

std::uint64_t RunTurns::begin(std::uint64_t deadline_ns, const std::atomic<std::uint32_t>& kill) {
  seat_ = &Workers::seat_of_this_thread();
  kill_ = &kill;
  deadline_ns_ = deadline_ns;
  const std::uint64_t now = to_ns(services_.clock().now());
  turns_.begin(now);
  turns_.wait_for_share(now, bounds());
  return kernel_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(services_.workers().first_turn(*seat_).count());
}

void RunTurns::end(std::uint64_t fuel_used) { turns_.charge(fuel_used, to_ns(services_.clock().now())); }

}  // namespace petri
