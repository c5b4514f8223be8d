// What holds a sandbox that makes trouble again and again: its breaker, and what the quarantine counts.
#include <fmt/format.h>

#include "sandbox/sandbox_core.h"

namespace petri {

Result<SandboxCore::Entry> SandboxCore::enter() {
  if (breaker_.state() == BreakerState::closed) return Entry::as_ever;
  const Clock::TimePoint now = services_.clock.now();
  const Breaker::Admitted admitted = breaker_.admit(now);
  tell_breaker(admitted.change);
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
  tell_breaker(breaker_.trial_ended(well, services_.clock.now()));
}

void SandboxCore::tell_breaker(const std::optional<Breaker::Change>& change) {
  if (!change) return;
  const BreakerOptions& options = traits_->breaker;
  switch (change->to) {
    case BreakerState::open:
      services_.metrics.breaker_opened();
      services_.events.publish(EventKind::breaker_opened, subject(), [&](Event& event) {
        event.add("opened", change->opened).add("limits", options.limits_max).add("pause_ns", options.pause);
      });
      break;
    case BreakerState::half_open:
      services_.events.publish(EventKind::breaker_half_open, subject(),
                               [&](Event& event) { event.add("opened", change->opened); });
      break;
    case BreakerState::closed:
      services_.events.publish(EventKind::breaker_closed, subject(),
                               [&](Event& event) { event.add("opened", change->opened); });
      break;
  }
  tell_audit({.kind = AuditKind::breaker_changed, .sandbox = id(), .cause = name_of(change->to)},
             {{"from", name_of(change->from)}, {"opened", change->opened}});
}

// Where processes of several modules live, any of them may have led another into its limit: what that earns holds in
// their sandbox alone. What the host asks for is nobody else's doing.
std::string_view SandboxCore::where_it_counts(std::string_view process) const {
  return !process.empty() && modules_.size() > 1 ? std::string_view(id()) : std::string_view();
}

// A run counts for its artifact alone.
void SandboxCore::count_ending_limit(std::string_view process, const Outcome& outcome) {
  const Clock::TimePoint now = services_.clock.now();
  if (!process.empty()) tell_breaker(breaker_.limit_met(now));
  const auto sentence = services_.quarantine.limit_met(outcome.artifact, outcome.cause, now, where_it_counts(process));
  if (!sentence) return;
  services_.metrics.quarantined();
  const std::string artifact = outcome.artifact.hex();
  const auto period = services_.quarantine.options().period;
  services_.events.publish(EventKind::security_quarantined, subject(process), [&](Event& event) {
    event.add("artifact", artifact).add("limit", sentence->cause).add("period_ns", period);
  });
  tell_audit({.kind = AuditKind::quarantined, .sandbox = id(), .process = process, .cause = sentence->cause},
             {{"artifact", artifact}, {"period_ns", period.count()}});
}

void SandboxCore::permission_used(std::string_view process, const PermissionUse& use) {
  const std::string_view name = name_of(use.permission);
  if (use.granted > 0) {
    const AuditSubject used{.kind = AuditKind::permission_used, .sandbox = id(), .process = process, .cause = name};
    tell_audit({.subject = used, .count = use.granted}, {{"count", use.granted}});
  }
  if (use.denied == 0) return;
  {
    MutexLock lock(mutex_);
    trouble().denied[std::string(name)] += use.denied;
  }
  services_.metrics.denied(name, use.denied);
  services_.events.publish(EventKind::security_denied, subject(process), [&](Event& event) {
    event.add("permission", name);
    if (use.denied > 1) event.add("count", use.denied);
  });
  const AuditSubject denied{.kind = AuditKind::permission_denied, .sandbox = id(), .process = process, .cause = name};
  tell_audit({.subject = denied, .count = use.denied}, {{"count", use.denied}});
}

}  // namespace petri
