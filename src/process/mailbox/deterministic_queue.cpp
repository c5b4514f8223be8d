#include "process/mailbox/deterministic_queue.h"

#include <algorithm>
#include <chrono>

#include "host/host_context.h"
#include "process/process.h"

namespace petri {

std::uint64_t DeterministicQueue::Time::ms() const { return fuel / HostContext::kFuelPerMillisecond + skipped_ms; }

void DeterministicQueue::add(std::shared_ptr<Process> process) {
  MutexLock lock(mutex_);
  waiting_.push_back(std::move(process));
  start();
}

TimerId DeterministicQueue::add_timer(std::uint64_t due_ms, Callback ring) {
  MutexLock lock(mutex_);
  const TimerId timer = timers_.add(due_ms, std::move(ring));
  start();
  return timer;
}

bool DeterministicQueue::cancel_timer(TimerId timer) {
  MutexLock lock(mutex_);
  return timers_.cancel(timer);
}

DeterministicQueue::Time DeterministicQueue::time() const {
  MutexLock lock(mutex_);
  return time_;
}

void DeterministicQueue::spend(std::uint64_t fuel, std::uint64_t skipped_ms) {
  MutexLock lock(mutex_);
  time_.fuel += fuel;
  time_.skipped_ms += skipped_ms;
}

// The permit is given back while this waits: with one worker the message that is waited for needs it.
DeterministicQueue::Hold::Hold(DeterministicQueue* queue) : queue_(queue) {
  if (queue_ == nullptr) return;
  const Workers::Pause pause(queue_->workers_);
  MutexLock lock(queue_->mutex_);
  ++queue_->holds_;
  while (queue_->running_) queue_->changed_.wait(queue_->mutex_);
}

DeterministicQueue::Hold::~Hold() {
  if (queue_ == nullptr) return;
  MutexLock lock(queue_->mutex_);
  --queue_->holds_;
  queue_->start();
}

bool DeterministicQueue::may_start() const { return holds_ == 0 && !(waiting_.empty() && timers_.empty()); }

void DeterministicQueue::start() {
  if (running_ || !may_start()) return;
  running_ = true;
  drain_elsewhere();
}

void DeterministicQueue::drain_elsewhere() {
  workers_.submit([this, kept = keep_alive_()] { drain(); }, client_);
}

// Chooses the next work. False: there is none, and the deterministic queue stands still.
bool DeterministicQueue::next(Callback& work) {
  MutexLock lock(mutex_);
  if (!may_start()) {
    running_ = false;
    changed_.notify_all();
    return false;
  }
  if (!waiting_.empty()) {
    work = [process = std::move(waiting_.front())] { process->handle_next(); };
    waiting_.pop_front();
    return true;
  }
  // Nothing else is left to do, so time passes until the first timer is due.
  const std::uint64_t due_ms = timers_.first_time();
  time_.skipped_ms += due_ms - std::min(due_ms, time_.ms());
  work = timers_.take_first();
  return true;
}

// After a turn others go first.
void DeterministicQueue::drain() {
  const auto turn_end = std::chrono::steady_clock::now() + workers_.turn();
  for (Callback work; next(work);) {
    work();
    settle_();
    if (std::chrono::steady_clock::now() >= turn_end) return drain_elsewhere();
  }
}

}  // namespace petri
