// What is done once supervision has given up. src/supervisor decides; this carries it out.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

std::string gave_up_after(std::string_view last) {
  return fmt::format("the supervisor gave up restarting; the last that ended was {}", last);
}

}  // namespace

void SandboxCore::note_end(const Process& process, const Result<Outcome>& how) {
  const std::string what = how ? std::string(name_of(how->kind)) : how.error().message;
  const ErrorCategory failure = how ? category_of(*how) : how.error().category();
  const Clock::TimePoint now = services_.clock.now();
  MutexLock lock(mutex_);
  LastEnd& last = spawned_.is_dynamic(process.name()) ? last_spawned_end_ : last_end_;
  const bool anew = last.text.empty() || now - last.time >= traits_->recovery.stable_after;
  last = {.text = fmt::format("{} ({})", process.name(), what),
          .failure = failure,
          .time = now,
          .first = anew ? now : last.first};
}

// Only what somebody asked for is taken back: going back and forth would help nobody.
SandboxCore::TakenBack SandboxCore::what_to_take_back(const LastEnd& last) const {
  TakenBack found;
  for (const auto& [name, module] : modules_) {
    if (module.past == nullptr || module.past->versions.number_before() == 0) continue;
    const SwitchCause cause = module.past->versions.switches().back().cause;
    const Clock::Duration before = last.first - module.past->switched;
    const bool asked_for = cause == SwitchCause::reload || cause == SwitchCause::activate;
    if (!asked_for || before >= traits_->recovery.rollback_within) continue;
    found.modules.push_back(name);
    found.switched = std::min(found.switched.value_or(before), before);
  }
  return found;
}

// Nothing runs, so there is no state to carry. What cannot be linked so, or is refused now, stays as it is.
Result<void> SandboxCore::take_back(const std::vector<std::string>& modules) {
  std::vector<Part> parts;
  for (const std::string& name : modules) {
    PETRI_TRY(parts.emplace_back(), kept_part(name, 0, {}));
  }
  PETRI_TRY(link_parts(parts));
  for (const Part& part : parts) {
    PETRI_TRY(check_part(part, {.cause = SwitchCause::recovery}));
  }
  {
    MutexLock lock(mutex_);
    for (const Part& part : parts) {
      Module& module = modules_.find(part.name)->second;
      module.code = part.to;
      if (part.only_links) continue;
      module.past->versions.activate(part.to_number, services_.clock.wall_now(), SwitchCause::recovery, "petri");
      module.past->snapshot = nullptr;
    }
  }
  for (const Part& part : parts) {
    if (!part.only_links) tell_taken_back(part);
  }
  return {};
}

void SandboxCore::tell_taken_back(const Part& part) {
  services_.events.publish(EventKind::module_rolled_back, subject(), [&](Event& event) {
    event.add("module", part.name).add("version", part.to_number).add("from", part.from_number);
    event.add("cause", name_of(SwitchCause::recovery)).add("processes", 0U);
  });
  tell_audit({.kind = AuditKind::module_switched, .sandbox = id(), .cause = name_of(SwitchCause::recovery)},
             {{"module", part.name}, {"from", part.from_number}, {"to", part.to_number}, {"actor", "petri"}});
}

SandboxCore::LastEnd SandboxCore::last_end() const {
  MutexLock lock(mutex_);
  return last_spawned_end_.time > last_end_.time ? last_spawned_end_ : last_end_;
}

// Also asked before it waits for control_: nobody waits for the end of a sandbox to find that it has ended.
bool SandboxCore::is_done_with(const std::shared_ptr<const TreeRunner>& gave_up) const {
  MutexLock lock(mutex_);
  return is_ending() || (gave_up != tree_ && gave_up != dynamic_);
}

void SandboxCore::recover(const std::shared_ptr<const TreeRunner>& gave_up) {
  if (is_done_with(gave_up)) return;
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  if (is_done_with(gave_up) || !is_up(status())) return;
  act_on_failure(gave_up);
}

// Starting again may fail again: then the next step is due, until there is none. A spec says how many there are.
void SandboxCore::act_on_failure(const std::shared_ptr<const TreeRunner>& gave_up) {
  const Operation operation(operation_);
  recovers_.store(true);
  while (act_once(gave_up) == Acted::failed_again) continue;
  recovers_.store(false);
}

SandboxCore::Acted SandboxCore::act_once(const std::shared_ptr<const TreeRunner>& gave_up) {
  if (is_to_end()) {
    if (!is_up(status())) set_status(SandboxStatus::stopped);
    return Acted::done;  // whoever ends it does the rest
  }
  RecoveryStep step;
  LastEnd last;
  TakenBack back;
  {
    MutexLock lock(mutex_);
    last = gave_up != nullptr && gave_up == dynamic_ ? last_spawned_end_ : last_end_;
    back = what_to_take_back(last);
    step = next_step(traits_->recovery, last.failure, services_.clock.now(), recovered_, back.switched);
    failure_ = last.failure;
  }
  services_.events.publish(EventKind::sandbox_recovery, subject(), [&](Event& event) {
    event.add("class", name_of(last.failure)).add("action", name_of(step.action)).add("cause", last.text);
    if (step.attempt > 0) event.add("attempt", step.attempt);
    if (step.action == RecoveryAction::retry) event.add("pause_ns", step.pause);
  });
  tell_step(step, last);
  return take_step(step, last, back.modules, gave_up);
}

// What is done again and again is the guests' doing; what it comes to in the end is always told.
void SandboxCore::tell_step(const RecoveryStep& step, const LastEnd& last) {
  const AuditSubject subject{.kind = AuditKind::recovery, .sandbox = id(), .cause = name_of(step.action)};
  const std::initializer_list<AuditFact> facts{
      {"class", name_of(last.failure)}, {"attempt", step.attempt}, {"last", last.text}};
  const bool comes_again = step.action == RecoveryAction::restart || step.action == RecoveryAction::retry;
  comes_again ? tell_audit(GuestDeed{.subject = subject}, facts) : tell_audit(subject, facts);
}

SandboxCore::Acted SandboxCore::take_step(const RecoveryStep& step, const LastEnd& last,
                                          const std::vector<std::string>& back,
                                          const std::shared_ptr<const TreeRunner>& gave_up) {
  if (step.action == RecoveryAction::isolate) {
    isolate(last);
    return Acted::done;
  }
  if (step.action == RecoveryAction::keep && keeps_running_without(gave_up)) return Acted::done;
  if (is_up(status())) {
    set_status(SandboxStatus::stopping);
    end_tree();
  }
  switch (step.action) {
    case RecoveryAction::retry: retry_after(step.pause, last); return Acted::done;
    case RecoveryAction::rollback:
      if (auto taken = take_back(back); !taken) {
        static_cast<void>(fail_with(std::move(taken.error())));
        return Acted::done;
      }
      [[fallthrough]];
    case RecoveryAction::restart: return try_start_tree() ? Acted::done : Acted::failed_again;
    default: break;
  }
  static_cast<void>(
      fail_with({.code = ErrorCode::limit_exceeded, .message = gave_up_after(last.text), .details = {}}, last.failure));
  return Acted::done;
}

// Children of the spec and those that guests spawned are two trees: one may live on without the other.
bool SandboxCore::keeps_running_without(const std::shared_ptr<const TreeRunner>& gave_up) {
  if (account_.processes() == 0) return false;
  MutexLock lock(mutex_);
  if (dynamic_ != gave_up) return true;
  dynamic_.reset();
  spawned_.remove_dynamic();
  return true;
}

// What still lives is kept as it is: no letter is taken, and whoever waits for an answer is told.
void SandboxCore::isolate(const LastEnd& last) {
  std::vector<ProcessPtr> processes;
  set_status(SandboxStatus::isolated, gave_up_after(last.text));
  {
    MutexLock lock(mutex_);
    runs_.request_stop();
    for (const auto& [name, process] : processes_) processes.push_back(process);
  }
  run_table_.cancel_waiting();
  for (const ProcessPtr& process : processes) process->freeze();
}

void SandboxCore::retry_after(Clock::Duration pause, const LastEnd& last) {
  const Clock::TimePoint due = services_.clock.now() + pause;
  set_status(SandboxStatus::starting,
             fmt::format("{}; tried again after {}", gave_up_after(last.text), format_duration(pause)));
  MutexLock lock(mutex_);
  const std::uint64_t ticket = retry_ticket_ = ++last_retry_ticket_;
  services_.timers.at(due, [weak = weak_from_this(), ticket] {
    if (const auto self = weak.lock())
      self->services_.workers.submit([self, ticket] { self->retry(ticket); }, self->client());
  });
}

void SandboxCore::retry(std::uint64_t ticket) {
  const Operation operation(operation_);
  {
    MutexLock lock(mutex_);
    if (retry_ticket_ != ticket || is_ending()) return;
  }
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  {
    MutexLock lock(mutex_);
    if (retry_ticket_ != ticket || destroyed_) return;
    retry_ticket_ = 0;
  }
  recovers_.store(true);
  const auto started = try_start_tree();
  recovers_.store(false);
  if (!started) act_on_failure(nullptr);
}

// True when one was waiting; it does nothing now.
bool SandboxCore::forget_retry() {
  MutexLock lock(mutex_);
  return std::exchange(retry_ticket_, 0) != 0;
}

}  // namespace petri
