#include "sandbox/limits/containment.h"

#include <fmt/format.h>

namespace petri {

Result<Containment::Entry> Containment::enter() {
  if (is_closed()) return Entry::normal;
  const Breaker::Admitted admitted = breaker_.admit(parts_.clock.now());
  report(admitted.change);
  if (admitted.admission == Breaker::Admission::enter) return Entry::normal;
  if (admitted.admission == Breaker::Admission::trial) return Entry::trial;
  return fail(
      Error{.code = ErrorCode::busy,
            .message = fmt::format("the sandbox {} met one limit after another, and its breaker is {}: try again "
                                   "later",
                                   parts_.sandbox, name_of(breaker_.state())),
            .details = {}}
          .with("component", "breaker"));
}

void Containment::end_trial(const Result<Outcome>& how) {
  const bool well = how && how->kind == OutcomeKind::ok;
  report(breaker_.trial_ended(well, parts_.clock.now()));
}

void Containment::report(const std::optional<Breaker::Change>& change) {
  if (change) parts_.journal.breaker_changed(*change, breaker_.options());
}

// A guest that returned or exited was not ended by the limit that cut its answer.
void Containment::report_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits) {
  const bool ended_itself = outcome.returned || outcome.exit_code.has_value();
  if (outcome.cause.empty() || (outcome.kind == OutcomeKind::output_limit && ended_itself)) return;
  parts_.journal.killed(process, outcome, limits);
  count(process, outcome);
}

// Where processes of several modules live, any of them may have led another into its limit: the quarantine it earns
// holds in their sandbox alone. A run is asked for by the host, and nobody else has a part in how it ends.
std::string_view Containment::where_it_counts(std::string_view process) const {
  return !process.empty() && parts_.modules.size() > 1 ? std::string_view(parts_.sandbox) : std::string_view();
}

void Containment::count(std::string_view process, const Outcome& outcome) {
  const Clock::TimePoint now = parts_.clock.now();
  if (!process.empty()) report(breaker_.limit_met(now));
  const auto sentence = parts_.quarantine.limit_met(outcome.artifact, outcome.cause, now, where_it_counts(process));
  if (!sentence) return;
  parts_.journal.quarantined(process, outcome.artifact, sentence->cause, parts_.quarantine.options().period);
}

}  // namespace petri
