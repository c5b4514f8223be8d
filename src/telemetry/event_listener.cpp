#include <exception>
#include <system_error>
#include <thread>

#include "base/mutex.h"
#include "base/signals_held_back.h"
#include "petri/events.h"

namespace petri {

// What the thread and the listener share: whoever is last lets it go.
class EventListener::Delivery {
 public:
  Delivery(Subscription subscription, Callback callback)
      : subscription_(std::move(subscription)), callback_(std::move(callback)) {}

  static Result<void> start_thread(const std::shared_ptr<Delivery>& delivery);

  std::uint64_t lost() const { return subscription_.lost(); }
  bool runs_here() const { return running_here == this; }

  void end();
  // The thread goes on to its end alone.
  void detach();

 private:
  void run() noexcept;

  static thread_local const Delivery* running_here;

  Subscription subscription_;
  const Callback callback_;
  Mutex mutex_;
  std::thread thread_ GUARDED_BY(mutex_);
};

thread_local const EventListener::Delivery* EventListener::Delivery::running_here = nullptr;

Result<void> EventListener::Delivery::start_thread(const std::shared_ptr<Delivery>& delivery) {
  const MutexLock lock(delivery->mutex_);
  const SignalsHeldBack held_back;
  try {
    delivery->thread_ = std::thread([delivery] { delivery->run(); });
  } catch (const std::system_error&) {
    return fail(ErrorCode::busy, "The machine gives no thread for an event listener; end other work first.");
  }
  return {};
}

void EventListener::Delivery::run() noexcept {
  running_here = this;
  try {
    while (const EventPtr event = subscription_.wait()) callback_(*event);
  } catch (...) {
    subscription_.end();
  }
}

void EventListener::Delivery::end() {
  subscription_.end();
  if (runs_here()) return;
  const MutexLock lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

void EventListener::Delivery::detach() {
  const MutexLock lock(mutex_);
  if (thread_.joinable()) thread_.detach();
}

Result<EventListener> EventListener::start(Subscription subscription, Callback callback) {
  if (!callback) return fail(ErrorCode::validation_failed, "An event listener needs a callback.");
  auto delivery = std::make_shared<Delivery>(std::move(subscription), std::move(callback));
  PETRI_TRY(Delivery::start_thread(delivery));
  return EventListener(std::move(delivery));
}

EventListener::~EventListener() {
  if (!delivery_) return;
  delivery_->end();
  if (delivery_->runs_here()) delivery_->detach();
}

EventListener& EventListener::operator=(EventListener&& other) noexcept {
  if (this != &other) {
    const EventListener before(std::move(*this));
    delivery_ = std::move(other.delivery_);
  }
  return *this;
}

std::uint64_t EventListener::lost() const { return delivery_ ? delivery_->lost() : 0; }

void EventListener::end() {
  if (delivery_) delivery_->end();
}

}  // namespace petri
