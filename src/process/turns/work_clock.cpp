#include "process/turns/work_clock.h"

#include "process/instance/live_instance.h"
#include "process/turns/process_time.h"

namespace petri {

void WorkClock::start(Clock::TimePoint now) {
  turns_.begin(to_ns(now));
  started_ns_.store(to_ns(now), std::memory_order_relaxed);
}

void WorkClock::end(const LiveInstance& live, Clock::TimePoint now) {
  memory_bytes_.store(live.guest->memory_bytes(), std::memory_order_relaxed);
  turns_.charge(live.guest->fuel_used(), to_ns(now));
  live.context->report_to_account();
}

bool WorkClock::try_mark_late(std::uint64_t started_ns) {
  if (started_ns_.load() != started_ns) return false;
  late_ns_.store(started_ns);
  return true;
}

void WorkClock::name_lateness(Outcome& outcome) const {
  if (outcome.kind != OutcomeKind::cancelled || late_ns_.load() != started_ns_.load()) return;
  outcome.kind = OutcomeKind::deadline;
  outcome.cause = "execution_time_max";
}

}  // namespace petri
