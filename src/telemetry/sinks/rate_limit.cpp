#include "telemetry/sinks/rate_limit.h"

#include <algorithm>

namespace petri {

Clock::TimePoint RateLimit::take(std::uint64_t units, Clock::TimePoint now) {
  constexpr std::chrono::seconds kAtOnce(1);
  const double seconds = static_cast<double>(units) / static_cast<double>(per_second_);
  const auto cost = std::chrono::duration_cast<Clock::Duration>(std::chrono::duration<double>(seconds));
  paid_until_ = std::max(paid_until_, now) + cost;
  return std::max(paid_until_ - kAtOnce, now);
}

}  // namespace petri
