#include "supervisor/restart_budget.h"

#include <algorithm>

namespace petri {

bool RestartBudget::spend(Clock::TimePoint now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const auto counts = [&](const RestartsOfASecond& restarts) { return restarts.second >= second - period_; };
  const auto first = std::ranges::find_if(restarts_, counts);
  std::for_each(restarts_.begin(), first, [this](const RestartsOfASecond& restarts) { count_ -= restarts.count; });
  restarts_.erase(restarts_.begin(), first);
  if (restarts_.empty() || restarts_.back().second != second) restarts_.push_back({.second = second, .count = 0});
  ++restarts_.back().count;
  return ++count_ <= intensity_;
}

void RestartBudget::change(std::uint32_t intensity, std::chrono::seconds period) {
  intensity_ = intensity;
  period_ = period;
}

}  // namespace petri
