// What holds a sandbox that makes trouble again and again: its breaker, and what the quarantine counts.
#include <fmt/format.h>

#include "sandbox/sandbox_core.h"

namespace petri {

Result<SandboxCore::Entry> SandboxCore::enter() {
  if (breaker_.state() == BreakerState::closed) return Entry::as_ever;
  const Clock::TimePoint now = services_.clock.now();
  const Breaker::Admitted admitted = breaker_.admit(now);
  report_breaker(admitted.change);
  if (admitted.admission == Breaker::Admission::enter) return Entry::as_ever;
  if (admitted.admission == Breaker::Admission::trial) return Entry::on_trial;
  return fail(
      Error{.code = ErrorCode::busy,
            .message = fmt::format("the sandbox {} met one limit after another, and its breaker is {}: try again "
                                   "later",
                                   id(), name_of(breaker_.state())),
            .details = {}}
          .with("component", "breaker"));
}

void SandboxCore::end_trial(const Result<Outcome>& how) {
  const bool well = how && how->kind == OutcomeKind::ok;
  report_breaker(breaker_.trial_ended(well, services_.clock.now()));
}

void SandboxCore::report_breaker(const std::optional<Breaker::Change>& change) {
  if (change) journal_.breaker_changed(*change, traits_->breaker);
}

// An answer that was cut has ended nobody who returned or left.
void SandboxCore::report_killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits) {
  const bool ended_itself = outcome.returned || outcome.exit_code.has_value();
  if (outcome.cause.empty() || (outcome.kind == OutcomeKind::output_limit && ended_itself)) return;
  journal_.killed(process, outcome, limits);
  count_ending_limit(process, outcome);
}

// Where processes of several modules live, any of them may have led another into its limit: what that earns holds in
// their sandbox alone. What the host asks for is nobody else's doing.
std::string_view SandboxCore::where_it_counts(std::string_view process) const {
  return !process.empty() && modules_.size() > 1 ? std::string_view(id()) : std::string_view();
}

// A run counts for its artifact alone.
void SandboxCore::count_ending_limit(std::string_view process, const Outcome& outcome) {
  const Clock::TimePoint now = services_.clock.now();
  if (!process.empty()) report_breaker(breaker_.limit_met(now));
  const auto sentence = services_.quarantine.limit_met(outcome.artifact, outcome.cause, now, where_it_counts(process));
  if (!sentence) return;
  journal_.quarantined(process, outcome.artifact, sentence->cause, services_.quarantine.options().period);
}

}  // namespace petri
