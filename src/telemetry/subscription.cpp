#include "petri/events.h"
#include "telemetry/event_channel.h"

namespace petri {

Subscription::~Subscription() { end(); }

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    end();
    channel_ = std::move(other.channel_);
  }
  return *this;
}

EventPtr Subscription::next() { return channel_ ? channel_->next() : nullptr; }

EventPtr Subscription::wait(std::stop_token stop) {
  return channel_ ? channel_->wait(std::nullopt, std::move(stop)) : nullptr;
}

EventPtr Subscription::wait_until(TimePoint deadline, std::stop_token stop) {
  return channel_ ? channel_->wait(deadline, std::move(stop)) : nullptr;
}

std::uint64_t Subscription::lost() const { return channel_ ? channel_->lost() : 0; }

void Subscription::close() {
  if (channel_) channel_->leave();
}

void Subscription::end() {
  if (channel_) channel_->end();
}

}  // namespace petri
