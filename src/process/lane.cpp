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

Lane::TimerId Lane::add_timer(std::uint64_t due_ms, Callback ring) {
  MutexLock lock(mutex_);
  const TimerId timer = ++last_timer_;
  timers_.emplace(std::pair(due_ms, timer), std::move(ring));
  due_.emplace(timer, due_ms);
  start();
  return timer;
}

bool Lane::cancel_timer(TimerId timer) {
  MutexLock lock(mutex_);
  const auto found = due_.find(timer);
  if (found == due_.end()) return false;
  timers_.erase({found->second, timer});
  due_.erase(found);
  return true;
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

void Lane::start() {
  if (running_ || holds_ > 0 || (waiting_.empty() && timers_.empty())) return;
  running_ = true;
  workers_.submit([this, kept = keep_alive_()] { drain(); });
}

// What is done next. False: nothing, and the lane stands still.
bool Lane::next(Callback& work) {
  MutexLock lock(mutex_);
  if (holds_ > 0 || (waiting_.empty() && timers_.empty())) {
    running_ = false;
    changed_.notify_all();
    return false;
  }
  if (!waiting_.empty()) {
    work = [process = std::move(waiting_.front())] { process->handle_next(); };
    waiting_.pop_front();
    return true;
  }
  auto first = timers_.extract(timers_.begin());
  const auto [due_ms, timer] = first.key();
  due_.erase(timer);
  time_.skipped_ms += due_ms - std::min(due_ms, time_.ms());
  work = std::move(first.mapped());
  return true;
}

// After a turn others go first.
void Lane::drain() {
  const auto turn_end = std::chrono::steady_clock::now() + workers_.turn();
  for (Callback work; next(work);) {
    work();
    settle_();
    if (std::chrono::steady_clock::now() < turn_end) continue;
    workers_.submit([this, kept = keep_alive_()] { drain(); });
    return;
  }
}

}  // namespace petri
