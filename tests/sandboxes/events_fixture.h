// For tests of events: a runtime that samples often, and the events that it published.
#pragma once

#include <chrono>
#include <functional>

#include "runtime_fixture.h"

namespace petri {

class EventsTest : public RuntimeFixture {
 protected:
  // Quick samples: those of usage and the warnings of limits come with them.
  void SetUp() override {
    runtime_ = *Runtime::create({.workers = 2, .sampling_interval = std::chrono::milliseconds(2)});
  }

  Subscription all() { return *runtime_->subscribe({.queue_max = kEventQueueMax}); }
  // Reads on until an event is as wanted, and keeps them all.
  void read_until(Subscription& events, const std::function<bool(const Event&)>& wanted) {
    while (const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30))) {
      seen_.push_back(event);
      if (wanted(*event)) return;
    }
    ADD_FAILURE() << "the event that was waited for has not come";
  }
  void read_until(Subscription& events, EventKind kind) {
    read_until(events, [kind](const Event& event) { return event.kind == kind; });
  }
  std::vector<EventPtr> of(EventKind kind) const {
    std::vector<EventPtr> some;
    for (const EventPtr& event : seen_) {
      if (event->kind == kind) some.push_back(event);
    }
    return some;
  }
  std::size_t place_of(EventKind kind) const {
    const auto found = std::ranges::find_if(seen_, [kind](const EventPtr& event) { return event->kind == kind; });
    return static_cast<std::size_t>(found - seen_.begin());
  }

  std::vector<EventPtr> seen_;
};

}  // namespace petri
