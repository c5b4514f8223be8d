// When changes have settled.
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.h"

namespace petri {

// Changes have settled once none has come for `quiet`, or the first is as old as ten times that: whoever never stops
// writing is seen all the same. One thread at a time.
class Debounce {
 public:
  explicit Debounce(Clock::Duration quiet) : quiet_(quiet) {}

  void note(Clock::TimePoint now) {
    if (!first_) first_ = now;
    last_ = now;
  }
  // Returns nullopt while there is no change.
  std::optional<Clock::TimePoint> due() const {
    if (!first_) return std::nullopt;
    return std::min(last_ + quiet_, *first_ + kQuietsMax * quiet_);
  }
  // True once for what has settled.
  bool take(Clock::TimePoint now) {
    if (!first_ || now < *due()) return false;
    first_.reset();
    return true;
  }

 private:
  static constexpr int kQuietsMax = 10;
  const Clock::Duration quiet_;
  std::optional<Clock::TimePoint> first_;
  Clock::TimePoint last_;
};

}  // namespace petri
