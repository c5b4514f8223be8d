// Decides what a sandbox does next once its supervision has given up: a pure rule over the table, the class and the
// past.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "petri/policy.h"

namespace petri {

// Actions taken since the sandbox last ran for stable_after.
struct RecoveryPast {
  std::uint32_t restarts = 0;
  std::uint32_t retries = 0;
  Clock::TimePoint last;  // when it was started again last
  bool operator==(const RecoveryPast&) const = default;
};

struct RecoveryStep {
  RecoveryAction action = RecoveryAction::terminate;
  Clock::Duration pause{};    // before a retry
  std::uint32_t attempt = 0;  // of restart and retry, from 1
};

// Counts the step in the past. `switched` says how long before the first of these failures code was exchanged that can
// be rolled back; nothing: none was.
RecoveryStep next_step(const Recovery& recovery, ErrorCategory failure, Clock::TimePoint now, RecoveryPast& past,
                       std::optional<Clock::Duration> switched = std::nullopt);

}  // namespace petri
