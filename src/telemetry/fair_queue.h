// The events that wait for one subscriber: bounded, and shared among sandboxes so that a noisy one crowds out only
// itself.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "petri/events.h"

namespace petri {

// Not for several threads at once.
class FairQueue {
 public:
  explicit FairQueue(std::size_t events_max) : events_max_(events_max) {}

  // False when an event is lost for want of room: this one, or the newest of a sandbox that has more waiting than the
  // one it is about. In steps whose number does not grow with the queue.
  bool push(const EventPtr& event);
  // Takes the oldest event; nullptr when there is none.
  EventPtr pop();

  std::size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }

 private:
  // How many events about this sandbox wait.
  std::size_t waiting_of(const std::string& sandbox) const;
  // Drops the newest event of the noisiest sandbox; false if this sandbox would then have as many waiting.
  bool make_room_for(const std::string& sandbox);
  void add(const EventPtr& event);
  // Counts one event less for the sandbox.
  void forget(const std::string& sandbox);

  std::size_t events_max_;
  std::deque<EventPtr> events_;
  std::unordered_map<std::string, std::size_t> waiting_;  // by sandbox; those that have any
  // An event of the sandbox that had most waiting when it was published. Others may have more by now, but a sandbox
  // that floods soon has the most again.
  EventPtr noisiest_;
};

}  // namespace petri
