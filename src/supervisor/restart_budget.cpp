#include "supervisor/restart_budget.h"

#include <algorithm>

namespace petri {

bool RestartBudget::spend(Clock::TimePoint now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  // Those of one second go together, so this is rarely more than a look at the first.
  const auto counts = [&](std::chrono::seconds restart) { return restart >= second - period_; };
  restarts_.erase(restarts_.begin(), std::ranges::find_if(restarts_, counts));
  restarts_.push_back(second);
  return restarts_.size() <= intensity_;
}

void RestartBudget::change(std::uint32_t intensity, std::chrono::seconds period) {
  intensity_ = intensity;
  period_ = period;
}

}  // namespace petri
