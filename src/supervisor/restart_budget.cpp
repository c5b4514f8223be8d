#include "supervisor/restart_budget.h"

namespace petri {

bool RestartBudget::spend(Clock::TimePoint now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  while (!restarts_.empty() && restarts_.front() < second - period_) restarts_.pop_front();
  restarts_.push_back(second);
  return restarts_.size() <= intensity_;
}

void RestartBudget::change(std::uint32_t intensity, std::chrono::seconds period) {
  intensity_ = intensity;
  period_ = period;
}

}  // namespace petri
