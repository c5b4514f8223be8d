// What is done once supervision has given up. src/supervisor decides; this carries it out.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "sandbox/reload.h"
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

// Nothing runs, so there is no state to carry. What cannot be linked so, or is refused now, stays as it is.
Result<void> SandboxCore::take_back(const std::vector<std::string>& modules) {
  ModuleChanges changes;
  for (const std::string& name : modules) {
    PETRI_TRY(changes.emplace_back(), modules_.change_to_kept(name, 0, {}));
  }
  Reload back(reload_parts(), reload_terms(ReloadPolicy{}, SwitchCause::recovery, "petri"), std::move(changes));
  PETRI_TRY(back.link());
  for (const ModuleChange& change : back.changes()) PETRI_TRY(back.check(change));
  modules_.commit_without_state(back.changes(), back.commit_terms());
  for (const ModuleChange& change : back.changes()) {
    if (!change.only_links()) journal_.module_recovered(change.name, change.from_number, change.to_number);
  }
  return {};
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
    if (!is_up(status())) advance(LifecycleEvent::ended);
    return Acted::done;  // whoever ends it does the rest
  }
  RecoveryStep step;
  LastEnd last;
  ModuleTable::Recent back;
  {
    MutexLock lock(mutex_);
    last = gave_up != nullptr && gave_up == dynamic_ ? last_spawned_end_ : last_end_;
    back = modules_.switched_before(last.first, traits_->recovery.rollback_within);
    step = next_step(traits_->recovery, last.failure, services_.clock.now(), recovered_, back.switched);
    failure_ = last.failure;
  }
  journal_.recovery_begins(step, last.failure, last.text);
  return take_step(step, last, back.modules, gave_up);
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
    advance(LifecycleEvent::end);
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

// What still lives is kept as it is: no message is taken, and whoever waits for an answer is told.
void SandboxCore::isolate(const LastEnd& last) {
  std::vector<ProcessPtr> processes;
  advance(LifecycleEvent::isolate, gave_up_after(last.text));
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
  advance(LifecycleEvent::start,
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
