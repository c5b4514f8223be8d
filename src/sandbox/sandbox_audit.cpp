// What the audit trail is told of guests, who may do it as often as they can.
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

constexpr Clock::Duration kCountedFor = std::chrono::seconds(1);

}  // namespace

void SandboxCore::tell_audit(const GuestDeed& deed, std::initializer_list<AuditFact> facts) {
  if (!keeps(traits_->policy.audit, deed.subject.kind)) return;
  if (admits(deed)) tell_audit(deed.subject, facts);
}

bool SandboxCore::admits(const GuestDeed& deed) {
  const Clock::TimePoint now = services_.clock.now();
  MutexLock lock(mutex_);
  if (destroyed_ || trouble().entries.admit(deed, now)) return true;
  if (trouble().counted_timer == 0) tell_counted_later();
  return false;
}

// Writing takes time, which the timers do not have.
void SandboxCore::tell_counted_later() {
  trouble().counted_timer = services_.timers.at(services_.clock.now() + kCountedFor, [self = shared_from_this()] {
    self->services_.workers.submit([self] { self->tell_counted(); }, self->client());
  });
}

void SandboxCore::tell_counted() {
  const Clock::TimePoint now = services_.clock.now();
  std::vector<CountedDeeds> taken;
  {
    MutexLock lock(mutex_);
    taken = trouble().entries.take(now);
    trouble().counted_timer = 0;
    if (!trouble().entries.empty()) tell_counted_later();
  }
  tell_counted(taken);
}

void SandboxCore::tell_all_counted() {
  std::vector<CountedDeeds> taken;
  {
    MutexLock lock(mutex_);
    if (trouble_ == nullptr || trouble_->entries.empty()) return;
    taken = trouble_->entries.take_all();
    if (services_.timers.cancel(trouble_->counted_timer)) trouble_->counted_timer = 0;
  }
  tell_counted(taken);
}

void SandboxCore::tell_counted(const std::vector<CountedDeeds>& all) {
  for (const CountedDeeds& deeds : all) {
    const AuditSubject subject{.kind = deeds.kind, .sandbox = id(), .process = deeds.process, .cause = deeds.cause};
    const bool of_a_limit = deeds.kind == AuditKind::limit_met || deeds.kind == AuditKind::killed;
    if (of_a_limit) {
      tell_audit(
          subject,
          {{"allowed", deeds.allowed}, {"seen", deeds.seen}, {"count", deeds.count}, {"entries", deeds.entries}});
    } else {
      tell_audit(subject, {{"count", deeds.count}, {"entries", deeds.entries}});
    }
  }
}

}  // namespace petri
