#include "telemetry/event_channel.h"

#include "telemetry/subscriber_list.h"

namespace petri {

bool is_wanted(const SubscriptionOptions& options, EventKind kind, const EventSubject& subject) {
  return options.kinds.has(kind) && (options.sandbox.empty() || options.sandbox == subject.sandbox) &&
         (options.process.empty() || options.process == subject.process);
}

bool EventChannel::push(const EventPtr& event) {
  const MutexLock lock(mutex_);
  const bool kept_all = waiting_.push(event);
  if (!kept_all) ++lost_;
  changed_.notify_one();
  return kept_all;
}

void EventChannel::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

EventPtr EventChannel::next() {
  const MutexLock lock(mutex_);
  return waiting_.pop();
}

EventPtr EventChannel::wait(std::optional<TimePoint> deadline, std::stop_token stop) {
  // Declared before the lock: its destructor waits for a callback that needs the lock.
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  while (waiting_.empty() && !closed_ && !stop.stop_requested()) {
    if (!deadline) {
      changed_.wait(mutex_);
    } else if (!changed_.wait_until(mutex_, *deadline)) {
      break;
    }
  }
  return stop.stop_requested() ? nullptr : waiting_.pop();
}

std::uint64_t EventChannel::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

void EventChannel::leave() {
  if (const auto list = list_.lock()) list->remove(*this);
  close();
}

void EventChannel::end() {
  leave();
  FairQueue forgotten(options_.queue_max);  // freed once the lock is let go
  const MutexLock lock(mutex_);
  std::swap(forgotten, waiting_);
}

}  // namespace petri
