#include "process/lane.h"

#include <algorithm>
#include <chrono>

#include "host/host_context.h"
#include "process/process.h"

namespace petri {

std::uint64_t Lane::Time::ms() const { return fuel / HostContext::kFuelPerMillisecond + skipped_ms; }

void Lane::add(std::shared_ptr<Process> process) {
  MutexLock lock(mutex_);
  waiting_.push_back(std::move(process));
  start();
}

TimerId Lane::add_timer(std::uint64_t due_ms, Callback ring) {
  MutexLock lock(mutex_);
  const TimerId timer = timers_.add(due_ms, std::move(ring));
  start();
  return timer;
}

bool Lane::cancel_timer(TimerId timer) {
  MutexLock lock(mutex_);
  return timers_.cancel(timer);
}

Lane::Time Lane::time() const {
  MutexLock lock(mutex_);
  return time_;
}

void Lane::spend(std::uint64_t fuel, std::uint64_t skipped_ms) {
  MutexLock lock(mutex_);
  time_.fuel += fuel;
  time_.skipped_ms += skipped_ms;
}

Lane::Hold::Hold(Lane* lane) : lane_(lane) {
  if (lane_ == nullptr) return;
  const Workers::Pause pause(lane_->workers_);
  MutexLock lock(lane_->mutex_);
  ++lane_->holds_;
  while (lane_->running_) lane_->changed_.wait(lane_->mutex_);
}

Lane::Hold::~Hold() {
  if (lane_ == nullptr) return;
  MutexLock lock(lane_->mutex_);
  --lane_->holds_;
  lane_->start();
}

bool Lane::may_go_on() const { return holds_ == 0 && !(waiting_.empty() && timers_.empty()); }

void Lane::start() {
  if (running_ || !may_go_on()) return;
  running_ = true;
  drain_elsewhere();
}

void Lane::drain_elsewhere() {
  workers_.submit([this, kept = keep_alive_()] { drain(); }, client_);
}

// What is done next. False: nothing, and the lane stands still.
bool Lane::next(Callback& work) {
  MutexLock lock(mutex_);
  if (!may_go_on()) {
    running_ = false;
    changed_.notify_all();
    return false;
  }
  if (!waiting_.empty()) {
    work = [process = std::move(waiting_.front())] { process->handle_next(); };
    waiting_.pop_front();
    return true;
  }
  const std::uint64_t due_ms = timers_.first_time();
  time_.skipped_ms += due_ms - std::min(due_ms, time_.ms());
  work = timers_.take_first();
  return true;
}

// After a turn others go first.
void Lane::drain() {
  const auto turn_end = std::chrono::steady_clock::now() + workers_.turn();
  for (Callback work; next(work);) {
    work();
    settle_();
    if (std::chrono::steady_clock::now() >= turn_end) return drain_elsewhere();
  }
}

}  // namespace petri
