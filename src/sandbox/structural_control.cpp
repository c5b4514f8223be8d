#include "sandbox/structural_control.h"

namespace petri {

StructuralControl::Turn StructuralControl::take() {
  if (auto turn = try_take()) return *std::move(turn);
  const Workers::Pause pause(workers_);
  return Turn(std::unique_lock(turns_));
}

std::optional<StructuralControl::Turn> StructuralControl::try_take() {
  std::unique_lock held(turns_, std::try_to_lock);
  if (!held.owns_lock()) return std::nullopt;
  return Turn(std::move(held));
}

// The end of the sandbox comes before other work of its guests.
StructuralControl::Turn StructuralControl::take_to_end(const std::function<void()>& begin_end) {
  workers_.favour(client_);
  if (auto turn = try_take()) return *std::move(turn);
  {
    MutexLock lock(mutex_);
    ++ends_wanted_;
  }
  stop_loading();
  begin_end();
  Turn turn = take();
  MutexLock lock(mutex_);
  if (--ends_wanted_ == 0) loading_ = new_loading();
  return turn;
}

bool StructuralControl::is_to_end() const {
  MutexLock lock(mutex_);
  return ends_wanted_ > 0;
}

bool StructuralControl::begin_runs(const Turn&) {
  MutexLock lock(mutex_);
  if (ends_wanted_ > 0) return false;
  runs_ = std::stop_source();
  return true;
}

// Callbacks of a stop request may wait for locks of others, so the lock is not held meanwhile.
void StructuralControl::end_runs() {
  std::stop_source runs(std::nostopstate);
  {
    MutexLock lock(mutex_);
    runs = runs_;
  }
  runs.request_stop();
}

std::stop_token StructuralControl::ending() const {
  MutexLock lock(mutex_);
  return runs_.get_token();
}

void StructuralControl::stop_loading() {
  std::stop_source loading(std::nostopstate);
  {
    MutexLock lock(mutex_);
    loading = loading_;
  }
  loading.request_stop();
}

std::stop_token StructuralControl::loading() const {
  MutexLock lock(mutex_);
  return loading_.get_token();
}

}  // namespace petri
