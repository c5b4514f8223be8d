#include "sandbox/journal/journal.h"

#include <fmt/format.h>

#include "run/backtrace.h"
#include "supervisor/exit_reason.h"
#include "telemetry/usage/usage_history.h"

namespace petri {
namespace {

constexpr Clock::Duration kCountedFor = std::chrono::seconds(1);

// How much a guest that a limit has ended had used, or the least it had asked for.
std::uint64_t seen_at_end(const Outcome& outcome, std::uint64_t allowed) {
  switch (outcome.kind) {
    case OutcomeKind::deadline: return static_cast<std::uint64_t>(outcome.wall_time.count());
    case OutcomeKind::out_of_fuel: return outcome.fuel_used;
    default: return allowed + 1;
  }
}

}  // namespace

// ---- the sandbox ----------------------------------------------------------------------------------------------

void Journal::status_changed(SandboxStatus from, SandboxStatus to, const std::string& cause, bool in_recovery) {
  sinks_.events.publish(EventKind::sandbox_status, subject(), [&](Event& event) {
    event.add("from", name_of(from)).add("to", name_of(to));
    if (!cause.empty()) event.add("cause", cause);
  });
  const AuditSubject change{.kind = AuditKind::sandbox_status, .sandbox = sandbox_, .cause = cause};
  if (!keeps(level_, change.kind)) return;
  // Counted by what it becomes: causes are texts without end.
  const bool by_guests = in_recovery && to != SandboxStatus::failed && to != SandboxStatus::isolated;
  if (by_guests && !admits({.subject = {.kind = change.kind, .sandbox = sandbox_, .cause = name_of(to)}})) return;
  audit(change, {{"from", name_of(from)}, {"to", name_of(to)}});
}

void Journal::failed(const Error& error, ErrorCategory failure) {
  sinks_.events.publish(EventKind::sandbox_failed, subject(), [&](Event& event) {
    event.add("cause", name_of(error.code)).add("class", name_of(failure)).add("message", error.message);
  });
  audit({.kind = AuditKind::sandbox_failed, .sandbox = sandbox_, .cause = name_of(error.code)},
        {{"class", name_of(failure)}, {"message", error.message}});
}

void Journal::created(std::size_t modules, std::uint64_t processes, Clock::Duration took, WayIn way) {
  sinks_.events.publish(EventKind::sandbox_created, subject(), [&](Event& event) {
    event.add("modules", modules).add("processes", processes).add("duration_ns", took);
  });
  audit({.kind = AuditKind::sandbox_created, .sandbox = sandbox_, .cause = name_of(way)},
        {{"modules", modules}, {"processes", processes}});
}

void Journal::destroyed(Clock::Duration uptime, std::string_view cause) {
  sinks_.events.publish(EventKind::sandbox_destroyed, subject(),
                        [&](Event& event) { event.add("cause", cause).add("uptime_ns", uptime); });
  audit({.kind = AuditKind::sandbox_destroyed, .sandbox = sandbox_, .cause = cause});
}

void Journal::recovery_starts(const RecoveryStep& step, ErrorCategory failure, const std::string& last) {
  sinks_.events.publish(EventKind::sandbox_recovery, subject(), [&](Event& event) {
    event.add("class", name_of(failure)).add("action", name_of(step.action)).add("cause", last);
    if (step.attempt > 0) event.add("attempt", step.attempt);
    if (step.action == RecoveryAction::retry) event.add("pause_ns", step.pause);
  });
  const AuditSubject what{.kind = AuditKind::recovery, .sandbox = sandbox_, .cause = name_of(step.action)};
  const std::initializer_list<AuditFact> facts{{"class", name_of(failure)}, {"attempt", step.attempt}, {"last", last}};
  // Steps that are repeated are the guests' doing; the last one is always in the trail.
  const bool comes_again = step.action == RecoveryAction::restart || step.action == RecoveryAction::retry;
  comes_again ? audit(GuestDeed{.subject = what}, facts) : audit(what, facts);
}

void Journal::limits_changed(const LimitChanges& changes) {
  std::string what;
  for (const LimitRule& rule : sandbox_limit_rules()) {
    const auto value = limit_value(changes, rule);
    if (value) what += fmt::format("{}{}={}", what.empty() ? "" : " ", rule.name, *value);
  }
  audit({.kind = AuditKind::limits_changed, .sandbox = sandbox_, .cause = "update_limits"}, {{"changes", what}});
}

void Journal::permissions_changed(Permissions from, Permissions to) {
  audit({.kind = AuditKind::permissions_changed, .sandbox = sandbox_, .cause = "update_permissions"},
        {{"from", from.to_text()}, {"to", to.to_text()}});
}

void Journal::usage_sampled(const Usage& usage) {
  sinks_.events.publish(EventKind::usage_sampled, subject(), [&](Event& event) { add_usage(event, usage); });
}

void Journal::limit_near(std::string_view limit, std::uint64_t used, std::uint64_t allowed) {
  sinks_.events.publish(EventKind::limit_warning, subject(),
                        [&](Event& event) { event.add("limit", limit).add("allowed", allowed).add("seen", used); });
}

// ---- modules --------------------------------------------------------------------------------------------------

void Journal::module_loaded(std::string_view module, const Artifact& artifact, WayIn way) {
  sinks_.metrics.module_loaded();
  sinks_.events.publish(EventKind::module_loaded, subject(), [&](Event& event) {
    event.add("module", module).add("artifact", artifact.id().hex()).add("bytes", artifact.bytes().size());
  });
  if (!keeps(level_, AuditKind::module_loaded)) return;
  audit({.kind = AuditKind::module_loaded, .sandbox = sandbox_, .cause = name_of(way)},
        {{"module", module}, {"artifact", artifact.id().hex()}});
}

void Journal::module_rejected(std::string_view module, WayIn way, const Error& error) {
  sinks_.metrics.module_rejected();
  sinks_.events.publish(EventKind::module_rejected, subject(), [&](Event& event) {
    event.add("module", module).add("error", name_of(error.code)).add("message", error.message);
  });
  const std::string_view permission = error.detail("permission");
  if (!permission.empty()) {
    sinks_.events.publish(EventKind::security_denied, subject(), [&](Event& event) {
      event.add("permission", permission).add("module", module).add("message", error.message);
    });
    sinks_.metrics.denied(permission);
    MutexLock lock(mutex_);
    ++counts().denied[std::string(permission)];
  }
  audit({.kind = AuditKind::module_rejected, .sandbox = sandbox_, .cause = name_of(error.code)},
        {{"module", module},
         {"way", name_of(way)},
         {"class", name_of(error.category())},
         {"permission", permission},
         {"message", error.message}});
}

void Journal::module_staged(std::string_view module, const VersionInfo& version, const std::string& actor) {
  sinks_.events.publish(EventKind::module_staged, subject(),
                        [&](Event& event) { event.add("module", module).add("version", version.number); });
  audit({.kind = AuditKind::module_staged, .sandbox = sandbox_, .cause = actor},
        {{"module", module}, {"version", version.number}, {"artifact", version.artifact.hex()}});
}

void Journal::publish_switch(const ReloadReport& report, const SwitchNews& news) {
  if (report.no_change) {
    sinks_.events.publish(EventKind::module_no_change, subject(),
                          [&](Event& event) { event.add("module", report.module).add("version", report.to); });
    return;
  }
  const bool back = news.cause == SwitchCause::rollback || news.cause == SwitchCause::trial;
  sinks_.events.publish(back ? EventKind::module_rolled_back : EventKind::module_reloaded, subject(),
                        [&](Event& event) {
                          event.add("module", report.module).add("version", report.to).add("from", report.from);
                          event.add("cause", name_of(news.cause)).add("processes", report.processes.size());
                          event.add("state", report.snapshot ? "snapshot" : name_of(report.state));
                          if (report.plan) event.add("plan", to_json(*report.plan));
                          event.add("pause_ns", report.pause_max);
                          if (!news.reason.empty()) event.add("reason", news.reason);
                          if (!news.trap.empty()) event.add("trap", news.trap);
                        });
}

void Journal::audit_switch(const ReloadReport& report, const SwitchNews& news) {
  if (report.no_change) return;
  audit({.kind = AuditKind::module_switched, .sandbox = sandbox_, .cause = name_of(news.cause)},
        {{"module", report.module},
         {"from", report.from},
         {"to", report.to},
         {"artifact", report.artifact.hex()},
         {"actor", news.actor}});
}

void Journal::module_recovered(std::string_view module, std::uint64_t from, std::uint64_t to) {
  const std::string_view cause = name_of(SwitchCause::recovery);
  sinks_.events.publish(EventKind::module_rolled_back, subject(), [&](Event& event) {
    event.add("module", module).add("version", to).add("from", from).add("cause", cause).add("processes", 0U);
  });
  audit({.kind = AuditKind::module_switched, .sandbox = sandbox_, .cause = cause},
        {{"module", module}, {"from", from}, {"to", to}, {"actor", "petri"}});
}

// ---- processes and runs ---------------------------------------------------------------------------------------

void Journal::process_started(std::string_view process, std::string_view module) {
  sinks_.events.publish(EventKind::process_started, subject(process),
                        [&](Event& event) { event.add("module", module); });
}

void Journal::process_restarted(std::string_view process, std::uint64_t restarts) {
  sinks_.events.publish(EventKind::process_restarted, subject(process),
                        [&](Event& event) { event.add("restarts", restarts); });
}

void Journal::process_gave_up(std::string_view process, std::string_view supervisor, const std::string& reason) {
  sinks_.events.publish(EventKind::process_gave_up, subject(process),
                        [&](Event& event) { event.add("supervisor", supervisor).add("reason", reason); });
}

void Journal::process_exited(std::string_view process, const Result<Outcome>& how) {
  sinks_.events.publish(EventKind::process_exited, subject(process), [&](Event& event) {
    event.add("reason", name_of(how ? exit_reason_of(*how) : ExitReason::abnormal));
    how ? event.add("outcome", name_of(how->kind)) : event.add("message", how.error().message);
    if (how && how->trap) event.add("trap", name_of(*how->trap));
    if (how && !how->backtrace.empty()) event.add("backtrace", backtrace_words(how->backtrace));
    if (how && how->exit_code) event.add("exit_code", *how->exit_code);
  });
}

void Journal::run_started(std::string_view module, std::string_view function) {
  sinks_.events.publish(EventKind::run_start, subject(),
                        [&](Event& event) { event.add("module", module).add("function", function); });
}

void Journal::run_failed(std::string_view module, std::string_view function, const Error& error, Clock::Duration took) {
  sinks_.events.publish(EventKind::run_exception, subject(), [&](Event& event) {
    event.add("module", module).add("function", function).add("error", name_of(error.code));
    event.add("message", error.message).add("duration_ns", took);
  });
}

void Journal::run_stopped(std::string_view module, std::string_view function, const Outcome& outcome,
                          Clock::Duration took) {
  sinks_.events.publish(EventKind::run_stop, subject(), [&](Event& event) {
    event.add("module", module).add("function", function).add("outcome", name_of(outcome.kind));
    event.add("fuel_used", outcome.fuel_used).add("duration_ns", took).add("tier", name_of(outcome.tier));
    event.add("memory_peak_bytes", outcome.memory_peak_bytes);
    if (outcome.trap) event.add("trap", name_of(*outcome.trap));
    if (outcome.exit_code) event.add("exit_code", *outcome.exit_code);
  });
}

void Journal::run_over(const Result<Outcome>& outcome) {
  outcome ? sinks_.metrics.run_ended(outcome->kind) : sinks_.metrics.run_failed(outcome.error().code);
}

// ---- containment ----------------------------------------------------------------------------------------------

// The audit entry comes first, so that a subscriber to the event finds it.
void Journal::killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits) {
  {
    MutexLock lock(mutex_);
    ++counts().limits_met[outcome.cause];
  }
  const EventKind kind =
      outcome.kind == OutcomeKind::deadline ? EventKind::killed_timeout : EventKind::killed_resource_limit;
  const LimitRule* rule = sandbox_limit_named(outcome.cause);
  const std::uint64_t allowed = rule == nullptr ? 0 : limit_value(limits, *rule);
  const std::uint64_t seen = seen_at_end(outcome, allowed);
  const AuditSubject killed{.kind = AuditKind::killed, .sandbox = sandbox_, .process = process, .cause = outcome.cause};
  audit({.subject = killed, .allowed = allowed, .seen = seen}, {{"outcome", name_of(outcome.kind)},
                                                                {"allowed", allowed},
                                                                {"seen", seen},
                                                                {"class", name_of(category_of(outcome))}});
  sinks_.events.publish(kind, subject(process), [&](Event& event) {
    event.add("limit", outcome.cause).add("allowed", allowed).add("seen", seen).add("place", name_of(outcome.place));
  });
  sinks_.metrics.killed(outcome.cause);
}

void Journal::limit_met(std::string_view process, const LimitMet& met) {
  {
    MutexLock lock(mutex_);
    counts().limits_met[std::string(met.limit)] += met.count;
  }
  const AuditSubject limit{.kind = AuditKind::limit_met, .sandbox = sandbox_, .process = process, .cause = met.limit};
  audit({.subject = limit, .count = met.count, .allowed = met.allowed, .seen = met.wanted},
        {{"allowed", met.allowed}, {"seen", met.wanted}, {"count", met.count}});
  sinks_.events.publish(EventKind::limit_met, subject(process), [&](Event& event) {
    event.add("limit", met.limit).add("allowed", met.allowed).add("seen", met.wanted);
    if (met.count > 1) event.add("count", met.count);
  });
  sinks_.metrics.limit_met(met.limit, met.count);
}

void Journal::permission_used(std::string_view process, const PermissionUse& use) {
  const std::string_view name = name_of(use.permission);
  if (use.granted > 0) {
    const AuditSubject used{.kind = AuditKind::permission_used, .sandbox = sandbox_, .process = process, .cause = name};
    audit({.subject = used, .count = use.granted}, {{"count", use.granted}});
  }
  if (use.denied == 0) return;
  {
    MutexLock lock(mutex_);
    counts().denied[std::string(name)] += use.denied;
  }
  sinks_.metrics.denied(name, use.denied);
  sinks_.events.publish(EventKind::security_denied, subject(process), [&](Event& event) {
    event.add("permission", name);
    if (use.denied > 1) event.add("count", use.denied);
  });
  const AuditSubject denied{
      .kind = AuditKind::permission_denied, .sandbox = sandbox_, .process = process, .cause = name};
  audit({.subject = denied, .count = use.denied}, {{"count", use.denied}});
}

void Journal::breaker_changed(const Breaker::Change& change, const BreakerOptions& options) {
  const bool opened = change.to == BreakerState::open;
  if (opened) sinks_.metrics.breaker_opened();
  const EventKind kind = opened                                 ? EventKind::breaker_opened
                         : change.to == BreakerState::half_open ? EventKind::breaker_half_open
                                                                : EventKind::breaker_closed;
  sinks_.events.publish(kind, subject(), [&](Event& event) {
    event.add("opened", change.opened);
    if (opened) event.add("limits", options.limits_max).add("pause_ns", options.pause);
  });
  audit({.kind = AuditKind::breaker_changed, .sandbox = sandbox_, .cause = name_of(change.to)},
        {{"from", name_of(change.from)}, {"opened", change.opened}});
}

void Journal::quarantined(std::string_view process, const ArtifactId& artifact, const std::string& cause,
                          std::chrono::nanoseconds period) {
  sinks_.metrics.quarantined();
  sinks_.events.publish(EventKind::security_quarantined, subject(process), [&](Event& event) {
    event.add("artifact", artifact.hex()).add("limit", cause).add("period_ns", period);
  });
  audit({.kind = AuditKind::quarantined, .sandbox = sandbox_, .process = process, .cause = cause},
        {{"artifact", artifact.hex()}, {"period_ns", period.count()}});
}

// ---- what guests may do as often as they can ------------------------------------------------------------------

Journal::Counts& Journal::counts() {
  if (counts_ == nullptr) counts_ = std::make_unique<Counts>();
  return *counts_;
}

Journal::Tally Journal::limits_met() const {
  MutexLock lock(mutex_);
  return counts_ == nullptr ? Tally() : counts_->limits_met;
}

Journal::Tally Journal::denied() const {
  MutexLock lock(mutex_);
  return counts_ == nullptr ? Tally() : counts_->denied;
}

void Journal::audit(const GuestDeed& deed, std::initializer_list<AuditFact> facts) {
  if (!keeps(level_, deed.subject.kind)) return;
  if (admits(deed)) audit(deed.subject, facts);
}

bool Journal::admits(const GuestDeed& deed) {
  const Clock::TimePoint now = services_.clock().now();
  MutexLock lock(mutex_);
  if (closed_ || counts().entries.admit(deed, now)) return true;
  if (counts().timer == 0) add_counted_later();
  return false;
}

// Writing takes time, which the timers do not have.
void Journal::add_counted_later() {
  counts().timer = sinks_.timers.at(services_.clock().now() + kCountedFor, [this, kept = services_.keep_alive()] {
    services_.workers().submit([this, kept] { add_counted(); }, services_.client());
  });
}

void Journal::add_counted() {
  const Clock::TimePoint now = services_.clock().now();
  std::vector<CountedDeeds> taken;
  {
    MutexLock lock(mutex_);
    taken = counts().entries.take(now);
    counts().timer = 0;
    if (!counts().entries.empty()) add_counted_later();
  }
  audit(taken);
}

void Journal::flush() {
  std::vector<CountedDeeds> taken;
  {
    MutexLock lock(mutex_);
    if (counts_ == nullptr || counts_->entries.empty()) return;
    taken = counts_->entries.take_all();
    if (sinks_.timers.cancel(counts_->timer)) counts_->timer = 0;
  }
  audit(taken);
}

void Journal::close() {
  MutexLock lock(mutex_);
  closed_ = true;
}

void Journal::audit(const std::vector<CountedDeeds>& all) {
  for (const CountedDeeds& deeds : all) {
    const AuditSubject subject{.kind = deeds.kind, .sandbox = sandbox_, .process = deeds.process, .cause = deeds.cause};
    const bool of_a_limit = deeds.kind == AuditKind::limit_met || deeds.kind == AuditKind::killed;
    if (of_a_limit) {
      audit(subject,
            {{"allowed", deeds.allowed}, {"seen", deeds.seen}, {"count", deeds.count}, {"entries", deeds.entries}});
    } else {
      audit(subject, {{"count", deeds.count}, {"entries", deeds.entries}});
    }
  }
}

}  // namespace petri
