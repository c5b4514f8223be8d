#include "telemetry/subscriber_list.h"

#include <algorithm>

namespace petri {

bool SubscriberList::has_subscriber(EventKind kind, const EventSubject& subject) const {
  const MutexLock lock(mutex_);
  return std::any_of(channels_.begin(), channels_.end(),
                     [&](const auto& channel) { return is_wanted(channel->options(), kind, subject); });
}

void SubscriberList::add(std::shared_ptr<EventChannel> channel) {
  const MutexLock lock(mutex_);
  channels_.push_back(std::move(channel));
  update_kinds();
}

void SubscriberList::remove(const EventChannel& channel) {
  const MutexLock lock(mutex_);
  std::erase_if(channels_, [&](const auto& one) { return one.get() == &channel; });
  update_kinds();
}

void SubscriberList::close() {
  const MutexLock lock(mutex_);
  for (const auto& channel : channels_) channel->close();
  channels_.clear();
  update_kinds();
}

void SubscriberList::update_kinds() {
  EventKinds kinds;
  for (const auto& channel : channels_) kinds = kinds.with(channel->options().kinds);
  kinds_.store(kinds.bits(), std::memory_order_relaxed);
}

void SubscriberList::hand_on(Event event) {
  const auto shared = std::make_shared<Event>(std::move(event));
  const EventSubject subject{.sandbox = shared->sandbox, .process = shared->process};
  const MutexLock lock(mutex_);
  shared->sequence = ++published_;
  for (const auto& channel : channels_) {
    if (is_wanted(channel->options(), shared->kind, subject) && !channel->push(shared)) ++lost_;
  }
}

void SubscriberList::count_lost() {
  const MutexLock lock(mutex_);
  ++lost_;
}

EventCounts SubscriberList::counts() const {
  const MutexLock lock(mutex_);
  return {.published = published_, .lost = lost_, .subscriptions = channels_.size()};
}

}  // namespace petri
