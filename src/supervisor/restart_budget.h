// How often a supervisor may start children anew before it gives up.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace petri {

// Allows `intensity` restarts in any `period`. Time counts in whole seconds, and a restart exactly one period old still
// counts. Belongs to the supervisor, not to a child.
class RestartBudget {
 public:
  RestartBudget(std::uint32_t intensity, std::chrono::seconds period) : intensity_(intensity), period_(period) {}

  // Counts one more restart. False when it is one too many.
  bool spend(Clock::TimePoint now);
  // Restarts already counted stay counted.
  void change(std::uint32_t intensity, std::chrono::seconds period);

 private:
  std::uint32_t intensity_;
  std::chrono::seconds period_;
  std::vector<std::chrono::seconds> restarts_;  // oldest first; never more than intensity + 1
};

}  // namespace petri
