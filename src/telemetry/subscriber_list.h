// The subscribers of a bus. The list outlives the bus for subscriptions that end later.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "telemetry/event_channel.h"

namespace petri {

struct EventCounts {
  std::uint64_t published = 0;      // events with a subscriber
  std::uint64_t lost = 0;           // summed over all subscriptions, those that ended too
  std::uint64_t subscriptions = 0;  // now
  bool operator==(const EventCounts&) const = default;
};

// Safe to use from any thread. Events are numbered and handed on under one lock, so that every subscriber sees them in
// the order of their numbers, and one that was removed gets none any more.
class SubscriberList {
 public:
  // True if anybody subscribes to this kind, about any subject.
  bool has_subscriber(EventKind kind) const {
    return ((kinds_.load(std::memory_order_relaxed) >> static_cast<unsigned>(kind)) & 1) != 0;
  }
  // As above, but for one subject: looks at every subscriber under the lock.
  bool has_subscriber(EventKind kind, const EventSubject& subject) const EXCLUDES(mutex_);

  void add(std::shared_ptr<EventChannel> channel) EXCLUDES(mutex_);
  void remove(const EventChannel& channel) EXCLUDES(mutex_);
  // Closes and removes all channels.
  void close() EXCLUDES(mutex_);

  // Numbers the event and hands it to all that want it.
  void hand_on(Event event) EXCLUDES(mutex_);
  // Counts an event that could not be created because memory was short.
  void count_lost() EXCLUDES(mutex_);

  EventCounts counts() const EXCLUDES(mutex_);

 private:
  void update_kinds() REQUIRES(mutex_);

  std::atomic<std::uint64_t> kinds_{0};  // the bits of all subscribers' EventKinds
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<EventChannel>> channels_ GUARDED_BY(mutex_);
  std::uint64_t published_ GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
