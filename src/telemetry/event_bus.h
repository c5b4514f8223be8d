// The event bus: parts of a runtime publish what happens, subscribers receive what they asked for.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "petri/events.h"
#include "petri/result.h"
#include "telemetry/subscriber_list.h"

namespace petri {

// Numbers of operations. May outlive the bus; any thread.
class Correlations {
 public:
  // Never 0, and never twice.
  Correlation next() { return {.id = last_.fetch_add(1, std::memory_order_relaxed) + 1}; }

 private:
  std::atomic<std::uint64_t> last_{0};
};

// Safe to use from any thread. The clock outlives the bus; subscriptions may outlive it.
class EventBus {
 public:
  explicit EventBus(const Clock& clock) : clock_(clock) {}
  ~EventBus() { list_->close(); }
  EventBus(const EventBus&) = delete;
  EventBus& operator=(const EventBus&) = delete;

  // validation_failed, with all that is wrong, for options under which nothing could ever arrive.
  Result<Subscription> subscribe(SubscriptionOptions options = {});

  // True if anybody subscribes to this kind; takes a nanosecond.
  bool wants(EventKind kind) const { return list_->has_subscriber(kind); }

  // Publishes that something happened. `fill` takes an Event& and adds the details; it is called only when somebody
  // subscribed to this subject, without a lock held. Never waits for a subscriber; what memory does not suffice for is
  // lost and counted. Events of one thread arrive in the order it published them. The caller may hold locks: no code of
  // a subscriber runs here.
  template <typename Fill>
  void publish(EventKind kind, const EventSubject& subject, const Fill& fill) {
    if (wants(kind)) [[unlikely]]
      publish_to_subscribers(kind, subject, std::cref(fill));
  }

  // A number for an operation that is about to start; it goes into the subject of all its events.
  Correlation new_correlation() { return correlations_->next(); }
  const std::shared_ptr<Correlations>& correlations() const { return correlations_; }

  // Totals since the bus was created, and the subscriptions there are now.
  EventCounts counts() const { return list_->counts(); }

 private:
  void publish_to_subscribers(EventKind kind, const EventSubject& subject, const std::function<void(Event&)>& fill);

  const Clock& clock_;
  const std::shared_ptr<SubscriberList> list_ = std::make_shared<SubscriberList>();
  const std::shared_ptr<Correlations> correlations_ = std::make_shared<Correlations>();
};

}  // namespace petri
