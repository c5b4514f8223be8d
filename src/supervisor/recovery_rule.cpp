#include "supervisor/recovery_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/complaints.h"
#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<6> kActions{"keep", "retry", "rollback", "restart", "isolate", "terminate"};
constexpr std::chrono::nanoseconds kPauseMax = std::chrono::hours(24);

// Doubled each time.
Clock::Duration pause_before(const Recovery& recovery, std::uint32_t attempt) {
  auto pause = recovery.retry_pause;
  for (std::uint32_t i = 1; i < attempt && pause < recovery.retry_pause_max; ++i) pause *= 2;
  return std::min(pause, recovery.retry_pause_max);
}

}  // namespace

std::string_view name_of(RecoveryAction action) { return name_in(kActions, action); }
std::optional<RecoveryAction> recovery_action_named(std::string_view name) {
  return find_name<RecoveryAction>(kActions, name);
}

RecoveryAction recovery_default(ErrorCategory failure) {
  switch (failure) {
    case ErrorCategory::compilation: return RecoveryAction::keep;
    case ErrorCategory::resource: return RecoveryAction::restart;
    case ErrorCategory::security: return RecoveryAction::isolate;
    case ErrorCategory::system: return RecoveryAction::retry;
    case ErrorCategory::runtime: return RecoveryAction::rollback;
    case ErrorCategory::usage: return RecoveryAction::terminate;
  }
  PETRI_UNREACHABLE();
}

RecoveryAction recovery_action(const Recovery& recovery, ErrorCategory failure) {
  const auto found = recovery.actions.find(failure);
  return found == recovery.actions.end() ? recovery_default(failure) : found->second;
}

Result<void> check_recovery(const Recovery& recovery) {
  Complaints complaints;
  if (recovery.actions.contains(ErrorCategory::usage)) {
    complaints.add_clause(
        "recovery.usage",
        "a caller's mistake ends no sandbox: the classes are compilation, runtime, resource, security, system");
  }
  struct Span {
    std::string_view field;
    std::chrono::nanoseconds value;
  };
  for (const Span& span : std::array<Span, 4>{{{"retry_pause", recovery.retry_pause},
                                               {"rollback_within", recovery.rollback_within},
                                               {"retry_pause_max", recovery.retry_pause_max},
                                               {"stable_after", recovery.stable_after}}}) {
    if (span.value.count() > 0 && span.value <= kPauseMax) continue;
    complaints.add_clause(fmt::format("recovery.{}", span.field),
                          fmt::format("{} is {} ns but goes from 1 ns to 24 hours", span.field, span.value.count()));
  }
  return complaints.result();
}

// A guest that met a limit has a cause that names it, however it ended.
ErrorCategory category_of(const Outcome& outcome) {
  return outcome.cause.empty() ? ErrorCategory::runtime : ErrorCategory::resource;
}

RecoveryStep next_step(const Recovery& recovery, ErrorCategory failure, Clock::TimePoint now, RecoveryPast& past,
                       std::optional<Clock::Duration> switched) {
  const bool was_stable = past != RecoveryPast{} && now - past.last >= recovery.stable_after;
  if (was_stable) past = {};
  switch (const RecoveryAction action = recovery_action(recovery, failure)) {
    case RecoveryAction::keep:
    case RecoveryAction::isolate:
    case RecoveryAction::terminate: return {.action = action};
    case RecoveryAction::rollback:
      if (!switched || *switched >= recovery.rollback_within) return {.action = RecoveryAction::terminate};
      return {.action = action};
    case RecoveryAction::restart:
      if (past.restarts >= recovery.restarts_max) return {.action = RecoveryAction::terminate};
      past.last = now;
      return {.action = action, .pause = {}, .attempt = ++past.restarts};
    case RecoveryAction::retry: {
      if (past.retries >= recovery.retries_max) return {.action = RecoveryAction::terminate};
      const std::uint32_t attempt = ++past.retries;
      const Clock::Duration pause = pause_before(recovery, attempt);
      past.last = now + pause;
      return {.action = action, .pause = pause, .attempt = attempt};
    }
  }
  PETRI_UNREACHABLE();
}

}  // namespace petri
