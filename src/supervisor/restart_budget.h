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
  std::size_t seconds_kept() const { return restarts_.size(); }

 private:
  // Together: a guest can make its child crash thousands of times a second.
  struct RestartsOfASecond {
    std::chrono::seconds second;
    std::uint64_t count;
  };

  std::uint32_t intensity_;
  std::chrono::seconds period_;
  std::vector<RestartsOfASecond> restarts_;  // oldest first
  std::uint64_t count_ = 0;                  // of all of them
};

}  // namespace petri
