// For tests of timers: time that passes when the test says so.
#pragma once

#include <future>

#include "base/clock.h"
#include "sandbox/timers/timers.h"

namespace petri {

// All that is due by then has rung when this returns.
inline void advance_timers(ManualClock& clock, Timers& timers, Clock::Duration duration) {
  std::promise<void> all;
  timers.at(clock.now() + duration, [&] { all.set_value(); }, Timers::Whose::guests);
  clock.advance(duration);
  timers.wake();
  all.get_future().wait();
}

}  // namespace petri
