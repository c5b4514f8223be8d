// The queue between those who publish events and one who subscribed to some of them.
#pragma once

#include <memory>
#include <optional>

#include "base/mutex.h"
#include "petri/events.h"
#include "telemetry/fair_queue.h"

namespace petri {

class SubscriberList;

// The sandbox or process that an event is about, and the work it belongs to.
struct EventSubject {
  std::string_view sandbox;
  std::string_view process = {};  // empty: the sandbox as a whole
  Correlation correlation = {};
};

// True if a subscriber with these options is to be notified.
bool is_wanted(const SubscriptionOptions& options, EventKind kind, const EventSubject& subject);

// Safe to use from any thread. The lock is held for a push or a pop only, so publishers never wait for a reader.
class EventChannel {
 public:
  using TimePoint = Subscription::TimePoint;

  EventChannel(SubscriptionOptions options, std::weak_ptr<SubscriberList> list)
      : options_(std::move(options)), list_(std::move(list)) {}

  const SubscriptionOptions& options() const { return options_; }

  // False when there is no room: this event or one of a noisier sandbox is then lost and counted.
  bool push(const EventPtr& event) EXCLUDES(mutex_);
  // Refuses further events; those that wait can still be read.
  void close() EXCLUDES(mutex_);

  // The oldest event that waits; nullptr if none does. Never blocks.
  EventPtr next() EXCLUDES(mutex_);
  // Blocks until an event arrives. nullptr once the deadline of the steady clock has passed (nullopt: never), the
  // channel is closed and empty, or `stop` is requested.
  EventPtr wait(std::optional<TimePoint> deadline, std::stop_token stop) EXCLUDES(mutex_);
  // Events lost for want of room since the subscription started.
  std::uint64_t lost() const EXCLUDES(mutex_);
  // Removes the channel from the bus, if that still exists, and closes it.
  void leave() EXCLUDES(mutex_);
  // Closes the channel, then drops the events that wait.
  void end() EXCLUDES(mutex_);

 private:
  const SubscriptionOptions options_;
  const std::weak_ptr<SubscriberList> list_;
  mutable Mutex mutex_;
  Condition changed_;
  FairQueue waiting_ GUARDED_BY(mutex_){options_.queue_max};
  std::uint64_t lost_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace petri
