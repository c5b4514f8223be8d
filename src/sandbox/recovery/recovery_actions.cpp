#include "sandbox/recovery/recovery_actions.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/units.h"

namespace petri {
namespace {

std::string gave_up_after(std::string_view last) {
  return fmt::format("the supervisor gave up restarting; the last that ended was {}", last);
}

}  // namespace

// ---- what ended last ------------------------------------------------------------------------------------------

RecoveryActions::Past& RecoveryActions::past() {
  if (past_ == nullptr) past_ = std::make_unique<Past>();
  return *past_;
}

void RecoveryActions::note_end(const Process& process, const Result<Outcome>& how) {
  const std::string what = how ? std::string(name_of(how->kind)) : how.error().message;
  const ErrorCategory failure = how ? category_of(*how) : how.error().category();
  const Clock::TimePoint now = clock().now();
  const bool spawned = parts_.processes.is_dynamic(process.name());
  MutexLock lock(mutex_);
  LastEnd& last = spawned ? past().spawned : past().own;
  const bool anew = last.text.empty() || now - last.time >= parts_.rule.stable_after;
  last = {.text = fmt::format("{} ({})", process.name(), what),
          .failure = failure,
          .time = now,
          .first = anew ? now : last.first};
}

RecoveryActions::LastEnd RecoveryActions::last_end(bool spawned) const {
  MutexLock lock(mutex_);
  if (past_ == nullptr) return {};
  return spawned ? past_->spawned : past_->own;
}

ErrorCategory RecoveryActions::last_failure() const {
  const LastEnd own = last_end(false), spawned = last_end(true);
  return spawned.time > own.time ? spawned.failure : own.failure;
}

void RecoveryActions::reset() {
  MutexLock lock(mutex_);
  if (past_ != nullptr) past_->recovered = {};
  retry_ticket_ = 0;
}

// ---- supervision has given up ---------------------------------------------------------------------------------

void RecoveryActions::supervisor_gave_up(const SupervisorGaveUp& news) {
  parts_.journal.process_gave_up(news.child, news.supervisor, last_end(parts_.processes.is_dynamic(news.child)).text);
}

// A thread that carries out the tree's actions may not wait for a turn: the one that has it may wait for the tree.
void RecoveryActions::tree_gave_up(RunnerPtr tree) {
  parts_.decisions.start();
  submit([this, tree = std::move(tree)] {
    recover(tree);
    parts_.decisions.end();
  });
}

void RecoveryActions::submit(std::function<void()> work) {
  ProcessServices& services = parts_.trees.services();
  services.workers().submit([kept = services.keep_alive(), work = std::move(work)] { work(); }, services.client());
}

// Also asked before it waits for its turn: nobody waits for the end of a sandbox to find that it has ended.
bool RecoveryActions::is_done_with(const RunnerPtr& gave_up) const {
  return is_ending() || (gave_up != parts_.trees.tree() && gave_up != parts_.trees.dynamic());
}

void RecoveryActions::recover(const RunnerPtr& gave_up) {
  if (is_done_with(gave_up)) return;
  const Turn turn = parts_.control.take();
  if (is_done_with(gave_up) || !parts_.standing.is_up()) return;
  act(turn, gave_up);
}

// Starting again may fail again: then the next step is due, until there is none. A spec says how many there are.
void RecoveryActions::act(const Turn& turn, const RunnerPtr& gave_up) {
  const Operation operation(parts_.operation);
  parts_.standing.set_recovering(true);
  while (act_once(turn, gave_up) == Acted::failed_again) continue;
  parts_.standing.set_recovering(false);
}

RecoveryActions::Acted RecoveryActions::act_once(const Turn& turn, const RunnerPtr& gave_up) {
  if (parts_.control.is_to_end()) {
    if (!parts_.standing.is_up()) parts_.standing.advance(LifecycleEvent::ended);
    return Acted::done;  // whoever ends it does the rest
  }
  const LastEnd last = last_end(gave_up != nullptr && gave_up == parts_.trees.dynamic());
  const ModuleTable::Recent back = parts_.modules.switched_before(last.first, parts_.rule.rollback_within);
  RecoveryStep step;
  {
    MutexLock lock(mutex_);
    step = next_step(parts_.rule, last.failure, clock().now(), past().recovered, back.switched);
  }
  parts_.standing.set_failure(last.failure);
  parts_.journal.recovery_starts(step, last.failure, last.text);
  return take_step(turn, step, last, back.modules, gave_up);
}

RecoveryActions::Acted RecoveryActions::take_step(const Turn& turn, const RecoveryStep& step, const LastEnd& last,
                                                  const std::vector<std::string>& back, const RunnerPtr& gave_up) {
  if (step.action == RecoveryAction::isolate) {
    parts_.standing.advance(LifecycleEvent::isolate, gave_up_after(last.text));
    parts_.activity.freeze(turn);
    return Acted::done;
  }
  if (step.action == RecoveryAction::keep && parts_.trees.lives_without(gave_up)) return Acted::done;
  if (parts_.standing.is_up()) parts_.activity.stop(turn);
  switch (step.action) {
    case RecoveryAction::retry: retry_after(step.pause, last); return Acted::done;
    case RecoveryAction::rollback:
      if (auto back_again = parts_.host.roll_back(back); !back_again) {
        static_cast<void>(parts_.standing.fail_with(std::move(back_again.error())));
        return Acted::done;
      }
      [[fallthrough]];
    case RecoveryAction::restart: return parts_.activity.start(turn) ? Acted::done : Acted::failed_again;
    default: fail_after(last); return Acted::done;
  }
}

void RecoveryActions::fail_after(const LastEnd& last) {
  Error error{.code = ErrorCode::limit_exceeded, .message = gave_up_after(last.text), .details = {}};
  static_cast<void>(parts_.standing.fail_with(std::move(error), last.failure));
}

// ---- trying again after a pause -------------------------------------------------------------------------------

void RecoveryActions::retry_after(Clock::Duration pause, const LastEnd& last) {
  const Clock::TimePoint due = clock().now() + pause;
  parts_.standing.advance(LifecycleEvent::start,
                          fmt::format("{}; tried again after {}", gave_up_after(last.text), format_duration(pause)));
  MutexLock lock(mutex_);
  const std::uint32_t ticket = retry_ticket_ = ++last_retry_ticket_;
  parts_.timers.at(due, [this, ticket, weak = std::weak_ptr(parts_.trees.services().keep_alive())] {
    if (const auto kept = weak.lock()) submit([this, ticket] { retry(ticket); });
  });
}

bool RecoveryActions::is_due(std::uint32_t ticket) const {
  MutexLock lock(mutex_);
  return retry_ticket_ == ticket;
}

// Stopping, restarting or destroying the sandbox meanwhile forgets the retry.
void RecoveryActions::retry(std::uint32_t ticket) {
  const Operation operation(parts_.operation);
  if (!is_due(ticket) || is_ending()) return;
  const Turn turn = parts_.control.take();
  if (!is_due(ticket)) return;
  forget_retry();
  parts_.standing.set_recovering(true);
  const auto started = parts_.activity.start(turn);
  parts_.standing.set_recovering(false);
  if (!started) act(turn, nullptr);
}

bool RecoveryActions::forget_retry() {
  MutexLock lock(mutex_);
  return std::exchange(retry_ticket_, 0) != 0;
}

bool RecoveryActions::waits_to_retry() const {
  MutexLock lock(mutex_);
  return retry_ticket_ != 0;
}

}  // namespace petri
