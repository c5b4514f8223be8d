// The actions for a sandbox whose supervision has given up, by the class of the failure.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "petri/error.h"
#include "petri/outcome.h"
#include "petri/result.h"

namespace petri {

// keep: it is `failed`, and what it was made of is kept. retry: it is started again after a pause that doubles each
// time; after retries_max it is terminated. rollback: modules that were given other code less than rollback_within
// before it started to fail go back to the version
//   before, once, and it is started again; where there is none it is terminated.
// restart: it is started again at once; after restarts_max it is terminated.
// isolate: nobody is answered, what still lives is frozen, everything can be looked at; restart() or destroy() end it.
// terminate: it is `failed`, and only the record of it is left; restart() reads its modules anew.
enum class RecoveryAction : std::uint8_t { keep, retry, rollback, restart, isolate, terminate };
std::string_view name_of(RecoveryAction action);
std::optional<RecoveryAction> recovery_action_named(std::string_view name);

struct Recovery {
  // Actions by class: compilation, runtime, resource, security, system. A class that is not named has the action of
  // recovery_default().
  std::map<ErrorCategory, RecoveryAction> actions;
  std::uint32_t restarts_max = 1;
  std::uint32_t retries_max = 5;
  std::chrono::nanoseconds retry_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds retry_pause_max = std::chrono::seconds(30);
  std::chrono::nanoseconds rollback_within = std::chrono::seconds(60);
  // Once the sandbox has run for this long, all counts above start again from zero.
  std::chrono::nanoseconds stable_after = std::chrono::seconds(60);
  bool operator==(const Recovery&) const = default;
};

// Those a sandbox can be ended by.
inline constexpr std::array<ErrorCategory, 5> kFailureClasses{ErrorCategory::compilation, ErrorCategory::runtime,
                                                              ErrorCategory::resource, ErrorCategory::security,
                                                              ErrorCategory::system};
RecoveryAction recovery_default(ErrorCategory failure);
// The action for this class, whether it was set or is the default.
RecoveryAction recovery_action(const Recovery& recovery, ErrorCategory failure);
// Refuses every class that is none of the five, and every value out of range, in one validation_failed.
Result<void> check_recovery(const Recovery& recovery);

// The class of a guest's end: what met a limit is `resource`, all else that is not `ok` is `runtime`.
ErrorCategory category_of(const Outcome& outcome);

}  // namespace petri
