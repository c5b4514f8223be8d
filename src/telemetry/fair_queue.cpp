#include "telemetry/fair_queue.h"

#include <algorithm>
#include <iterator>

namespace petri {
namespace {

// A sandbox that floods has events nearly everywhere: one that is not among the newest few is not worth looking for.
constexpr std::ptrdiff_t kLookedAtMax = 64;

}  // namespace

bool FairQueue::push(const EventPtr& event) {
  if (events_.size() < events_max_) {
    add(event);
    return true;
  }
  if (make_room_for(event->sandbox)) add(event);
  return false;
}

EventPtr FairQueue::pop() {
  if (events_.empty()) return nullptr;
  EventPtr event = std::move(events_.front());
  events_.pop_front();
  forget(event->sandbox);
  return event;
}

std::size_t FairQueue::waiting_of(const std::string& sandbox) const {
  const auto found = waiting_.find(sandbox);
  return found == waiting_.end() ? 0 : found->second;
}

// The newest of the noisiest goes, unless that is no noisier than this one.
bool FairQueue::make_room_for(const std::string& sandbox) {
  const std::string& noisy = noisiest_->sandbox;
  if (waiting_of(sandbox) + 1 >= waiting_of(noisy)) return false;
  const auto last = events_.rbegin() + std::min<std::ptrdiff_t>(kLookedAtMax, std::ssize(events_));
  const auto newest =
      std::find_if(events_.rbegin(), last, [&](const EventPtr& event) { return event->sandbox == noisy; });
  if (newest == last) return false;
  events_.erase(std::next(newest).base());
  forget(noisy);
  return true;
}

void FairQueue::add(const EventPtr& event) {
  std::size_t& waiting = waiting_[event->sandbox];
  events_.push_back(event);
  ++waiting;
  if (!noisiest_ || waiting > waiting_of(noisiest_->sandbox)) noisiest_ = event;
}

void FairQueue::forget(const std::string& sandbox) {
  const auto found = waiting_.find(sandbox);
  if (--found->second == 0) waiting_.erase(found);
}

}  // namespace petri
