#include "sandbox/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petri {

// Subscribers are notified without the lock: they may ask for the status.
void Standing::advance(LifecycleEvent event, const std::string& cause) {
  SandboxStatus from{}, to{};
  {
    MutexLock lock(mutex_);
    const auto next = next_status(status_.load(), event);
    if (!next) return;
    from = status_.load();
    to = *next;
    // A thread that reads `running` without the lock also sees what was done to get there.
    status_.store(to, std::memory_order_release);
    cause_ = cause;
    updated_ = std::max(updated_, clock_.wall_now());
    changed_at_ = clock_.now();
    if (event == LifecycleEvent::started) {
      failure_.reset();
      running_since_ = changed_at_;
    }
  }
  journal_.status_changed(from, to, cause, is_recovering());
}

Result<void> Standing::fail_with(Error error) {
  const ErrorCategory failure = error.category();
  return fail_with(std::move(error), failure);
}

// In this order, so that whoever is notified of `failed` finds the class of the failure.
Result<void> Standing::fail_with(Error error, ErrorCategory failure) {
  set_failure(failure);
  advance(LifecycleEvent::fail, error.message);
  journal_.failed(error, failure);
  return fail(std::move(error));
}

void Standing::set_failure(ErrorCategory failure) {
  MutexLock lock(mutex_);
  failure_ = failure;
}

bool Standing::set_destroyed() {
  MutexLock lock(mutex_);
  return !std::exchange(destroyed_, true);
}

void Standing::note_restart() {
  MutexLock lock(mutex_);
  ++restarts_;
}

void Standing::note_update(WallTime time) {
  MutexLock lock(mutex_);
  updated_ = std::max(updated_, time);
  changed_at_ = clock_.now();
}

Result<void> Standing::must_exist() const {
  MutexLock lock(mutex_);
  return must_exist_now();
}

Result<void> Standing::must_run() const {
  MutexLock lock(mutex_);
  return must_run_now();
}

Result<void> Standing::must_exist_now() const {
  if (!destroyed_) return {};
  return fail(ErrorCode::not_found, fmt::format("there is no sandbox {}: it was destroyed", sandbox_));
}

Result<void> Standing::must_run_now() const {
  if (is_up()) return {};
  PETRI_TRY(must_exist_now());
  const std::string_view name = name_of(status());
  std::string message = fmt::format("the sandbox {} is {}", sandbox_, name);
  if (!cause_.empty()) message += ": " + cause_;
  if (status() == SandboxStatus::stopped) message += "; restart it first";
  return fail(Error{.code = ErrorCode::rejected, .message = message, .details = {}}
                  .with("status", std::string(name))
                  .with("cause", cause_));
}

// Code may be exchanged while the sandbox is stopped: the next start is with the new one.
Result<void> Standing::must_be_changeable_now() const {
  return status() == SandboxStatus::stopped ? must_exist_now() : must_run_now();
}

bool Standing::is_over() const {
  MutexLock lock(mutex_);
  return destroyed_ || status() == SandboxStatus::stopping || status() == SandboxStatus::stopped;
}

std::optional<Clock::TimePoint> Standing::running_since_now() const {
  return status() == SandboxStatus::running ? std::optional(running_since_) : std::nullopt;
}

Clock::TimePoint Standing::changed_at() const {
  MutexLock lock(mutex_);
  return changed_at_;
}

Standing::Facts Standing::facts() const {
  MutexLock lock(mutex_);
  return {.status = status(), .cause = cause_, .failure = failure_, .updated = updated_, .restarts = restarts_};
}

}  // namespace petri
