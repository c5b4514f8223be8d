// The journal of a sandbox: each fact goes in once, and becomes an event, an entry of the audit trail and a number of
// the metrics, as far as its kind has them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "audit/guest_entries.h"
#include "base/mutex.h"
#include "host/host_context.h"
#include "petri/compile_report.h"
#include "petri/reload.h"
#include "petri/sandbox.h"
#include "petri/source.h"
#include "process/process.h"
#include "sandbox/code/way_in.h"
#include "sandbox/journal/operation.h"
#include "sandbox/timers/timers.h"
#include "security/breaker.h"
#include "security/quarantine.h"
#include "supervisor/recovery_rule.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics/metrics.h"

namespace petri {

// Where facts go; all of it outlives the journal.
struct JournalSinks {
  EventBus& events;
  AuditLog& audit;
  Metrics& metrics;
  Timers& timers;
};

// Why the code of a module was switched.
struct SwitchNews {
  SwitchCause cause = SwitchCause::reload;
  std::string actor;
  std::string reason, trap;  // of a crash that is the cause
};

// Any thread. Nobody calls it with a lock of the sandbox: subscribers and the trail have their own.
// What guests may do as often as they can has a share of the trail; what is beyond is counted, and added with its count
// after a second, and when the guests end. It has a function for each fact, which is why there are more than forty.
class Journal {
 public:
  // All of it outlives the journal.
  Journal(const JournalSinks& sinks, ProcessServices& services, const std::string& sandbox, AuditLevel level,
          const CurrentOperation& operation)
      : sinks_(sinks), services_(services), sandbox_(sandbox), level_(level), operation_(operation) {}

  // How often, by name.
  using Tally = std::map<std::string, std::uint64_t, std::less<>>;
  Tally limits_met() const EXCLUDES(mutex_);
  Tally denied() const EXCLUDES(mutex_);

  // ---- the sandbox
  // In a recovery the guests are who changes it, as often as they make it fail.
  void status_changed(SandboxStatus from, SandboxStatus to, const std::string& cause, bool in_recovery)
      EXCLUDES(mutex_);
  void failed(const Error& error, ErrorCategory failure);
  void created(std::size_t modules, std::uint64_t processes, Clock::Duration took, WayIn way);
  void destroyed(Clock::Duration uptime, std::string_view cause);
  void recovery_starts(const RecoveryStep& step, ErrorCategory failure, const std::string& last) EXCLUDES(mutex_);
  void limits_changed(const LimitChanges& changes);
  void permissions_changed(Permissions from, Permissions to);
  void usage_sampled(const Usage& usage);
  void limit_near(std::string_view limit, std::uint64_t used, std::uint64_t allowed);

  // ---- modules
  void module_loaded(std::string_view module, const Artifact& artifact, WayIn way);
  void module_rejected(std::string_view module, WayIn way, const Error& error) EXCLUDES(mutex_);
  void compile_started(const Source& source);
  void compile_ended(const Source& source, const Result<CompileReport>& report, Clock::Duration took);
  void module_staged(std::string_view module, const VersionInfo& version, const std::string& actor);
  // Subscribers get a switch before any event of the new code; writing the trail takes time that processes need not
  // wait for.
  void publish_switch(const ReloadReport& report, const SwitchNews& news);
  void audit_switch(const ReloadReport& report, const SwitchNews& news);
  // Where nothing ran.
  void module_recovered(std::string_view module, std::uint64_t from, std::uint64_t to);

  // ---- processes and runs
  void process_starts(bool again) { again ? sinks_.metrics.process_restarted() : sinks_.metrics.process_started(); }
  void process_started(std::string_view process, std::string_view module);
  void process_restarted(std::string_view process, std::uint64_t restarts);
  void process_gave_up(std::string_view process, std::string_view supervisor, const std::string& reason);
  void process_exited(std::string_view process, const Result<Outcome>& how);
  void instance_gone() { sinks_.metrics.process_exited(); }
  void call_ended(OutcomeKind kind) { sinks_.metrics.call_ended(kind); }
  void run_started(std::string_view module, std::string_view function);
  void run_failed(std::string_view module, std::string_view function, const Error& error, Clock::Duration took);
  void run_stopped(std::string_view module, std::string_view function, const Outcome& outcome, Clock::Duration took);
  // Notes the end of each run, however far it came.
  void run_over(const Result<Outcome>& outcome);

  // ---- containment; no process: it was a run
  // A limit ended a guest.
  void killed(std::string_view process, const Outcome& outcome, const SandboxLimits& limits) EXCLUDES(mutex_);
  void limit_met(std::string_view process, const LimitMet& met) EXCLUDES(mutex_);
  void permission_used(std::string_view process, const PermissionUse& use) EXCLUDES(mutex_);
  void breaker_changed(const Breaker::Change& change, const BreakerOptions& options);
  void quarantined(std::string_view process, const ArtifactId& artifact, const std::string& cause,
                   std::chrono::nanoseconds period);

  // Adds what was counted: its guests have ended.
  void flush() EXCLUDES(mutex_);
  // Once it was destroyed there is nothing to count for: the timers may be gone.
  void close() EXCLUDES(mutex_);

 private:
  // Most sandboxes never meet a limit, and have none of it.
  struct Counts {
    Tally limits_met, denied;
    GuestEntries entries;
    TimerId timer = 0;  // that adds what entries has counted; 0: none
  };

  EventSubject subject(std::string_view process = {}) const {
    return {.sandbox = sandbox_, .process = process, .correlation = operation_.correlation()};
  }
  void audit(const AuditSubject& what, std::initializer_list<AuditFact> facts = {}) {
    sinks_.audit.append(level_, what, facts);
  }
  void audit(const GuestDeed& deed, std::initializer_list<AuditFact> facts) EXCLUDES(mutex_);
  void audit(const std::vector<CountedDeeds>& all);
  bool admits(const GuestDeed& deed) EXCLUDES(mutex_);
  void add_counted_later() REQUIRES(mutex_);
  void add_counted() EXCLUDES(mutex_);
  Counts& counts() REQUIRES(mutex_);

  const JournalSinks& sinks_;
  ProcessServices& services_;
  const std::string& sandbox_;
  const AuditLevel level_;
  const CurrentOperation& operation_;
  mutable Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<Counts> counts_ GUARDED_BY(mutex_);
};

}  // namespace petri
