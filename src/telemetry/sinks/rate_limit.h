// Limits a rate: this many units a second on average, and at most a second's worth at once (a token bucket).
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace petri {

// Not for several threads at once.
class RateLimit {
 public:
  // `per_second` is at least 1; the unit is the caller's, for example bytes.
  explicit RateLimit(std::uint64_t per_second) : per_second_(per_second) {}

  // Notes that this many units were done, and returns until when to wait before the next.
  Clock::TimePoint take(std::uint64_t units, Clock::TimePoint now);

 private:
  std::uint64_t per_second_;
  Clock::TimePoint paid_until_{};  // all that was done takes until then
};

}  // namespace petri
