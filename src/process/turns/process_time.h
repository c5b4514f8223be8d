// Points in time as the engines take them.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace petri {

inline std::uint64_t to_ns(Clock::TimePoint time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}
inline Clock::TimePoint to_time(std::uint64_t ns) { return Clock::TimePoint(std::chrono::nanoseconds(ns)); }

}  // namespace petri
