// How much a guest may log: bytes per second, with one second's worth to start with.
#pragma once

#include <cstdint>

namespace petri {

// A bucket that fills as time passes. Time is the run's own, in whole milliseconds, and never goes back.
class LogRate {
 public:
  explicit LogRate(std::uint64_t bytes_per_second_max)
      : bytes_per_second_max_(bytes_per_second_max), millibytes_(bytes_per_second_max * 1'000) {}

  // True when this many bytes fit now; they are then spent.
  bool try_spend(std::uint64_t bytes, std::uint64_t now_ms);

 private:
  void refill(std::uint64_t now_ms);

  std::uint64_t bytes_per_second_max_;
  std::uint64_t millibytes_;  // thousandths, so that a millisecond refills exactly
  std::uint64_t last_ms_ = 0;
};

}  // namespace petri
