// Spreads work over time: so many units a second, and a second's worth at once.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace petri {

// Not for several threads at once.
class Pace {
 public:
  explicit Pace(std::uint64_t per_second) : per_second_(per_second) {}

  // Notes that so many units were done, and returns until when to wait before the next.
  Clock::TimePoint take(std::uint64_t units, Clock::TimePoint now);

 private:
  std::uint64_t per_second_;
  Clock::TimePoint paid_until_{};  // all that was done takes until then
};

}  // namespace petri
