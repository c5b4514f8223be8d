// Counts how often something happened lately.
#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.h"

namespace petri {

// Keeps the times within the window, at most as many as are counted to. Not for several threads at once.
class RepeatedFailures {
 public:
  // True when this is the `count`-th within `window`, both ends included. Then it counts from zero.
  bool happened(Clock::TimePoint now, std::size_t count, Clock::Duration window) {
    std::erase_if(times_, [&](Clock::TimePoint time) { return now - time > window; });
    times_.push_back(now);
    if (times_.size() < count) return false;
    times_.clear();
    return true;
  }
  void forget() { times_.clear(); }

 private:
  std::vector<Clock::TimePoint> times_;  // most never have any
};

}  // namespace petri
