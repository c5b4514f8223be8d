// The time in which new code must prove itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace petri {

// The processes that were given the code together share one. Any thread may use it.
class TrialPeriod {
 public:
  TrialPeriod(std::string module, std::uint32_t calls, Clock::TimePoint until)
      : module_(std::move(module)), calls_left_(calls), until_(until) {}

  const std::string& module() const { return module_; }

  // Counts a call that ended well.
  void count() { calls_left_.fetch_sub(1, std::memory_order_relaxed); }
  bool is_on_at(Clock::TimePoint now) const { return calls_left_.load(std::memory_order_relaxed) > 0 && now <= until_; }

 private:
  const std::string module_;
  std::atomic<std::int64_t> calls_left_;
  const Clock::TimePoint until_;
};

}  // namespace petri
