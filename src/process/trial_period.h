// The time in which new code must prove itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace petri {

// Shared by the processes that were given the code together. Any thread.
class TrialPeriod {
 public:
  TrialPeriod(std::string module, std::uint32_t calls, Clock::TimePoint until)
      : module_(std::move(module)), calls_left_(calls), until_(until) {}

  const std::string& module() const { return module_; }

  // A call came to a good end.
  void count() { calls_left_.fetch_sub(1, std::memory_order_relaxed); }
  // Only one crash ends a trial; whoever is told so acts on it.
  bool crashed(Clock::TimePoint now) {
    if (calls_left_.load(std::memory_order_relaxed) <= 0 || now > until_) return false;
    return !over_.exchange(true);
  }

 private:
  const std::string module_;
  std::atomic<std::int64_t> calls_left_;
  const Clock::TimePoint until_;
  std::atomic<bool> over_{false};
};

}  // namespace petri
