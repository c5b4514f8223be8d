#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/threads/signals_held_back.h"
#include "petri/events.h"

namespace petri {
namespace {

// In a storm that never ends losses are reported this often.
constexpr unsigned kEventsBetweenLosses = 256;

}  // namespace

// State shared by the thread and the listener; the last of the two frees it.
class EventListener::Delivery {
 public:
  Delivery(Subscription subscription, Callback callback, LossCallback on_lost)
      : subscription_(std::move(subscription)), callback_(std::move(callback)), on_lost_(std::move(on_lost)) {}

  static Result<void> start_thread(const std::shared_ptr<Delivery>& delivery);

  std::uint64_t lost() const { return subscription_.lost(); }
  bool runs_here() const { return running_here == this; }

  void end();
  void finish();
  // The thread continues to its end alone.
  void detach();

 private:
  void run() noexcept;
  EventPtr next_event();
  void report_losses();
  void join();

  static thread_local const Delivery* running_here;

  Subscription subscription_;
  const Callback callback_;
  const LossCallback on_lost_;
  std::uint64_t lost_reported_ = 0;  // these two belong to the thread
  unsigned since_losses_ = 0;
  std::atomic<bool> ended_{false};  // by code that may have destroyed what the callbacks use
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
    return fail(ErrorCode::busy, "the machine gives no thread for an event listener; end other work first");
  }
  return {};
}

void EventListener::Delivery::run() noexcept {
  running_here = this;
  try {
    while (const EventPtr event = next_event()) callback_(*event);
  } catch (...) {
    subscription_.end();
  }
}

EventPtr EventListener::Delivery::next_event() {
  if (++since_losses_ >= kEventsBetweenLosses) report_losses();
  if (EventPtr event = subscription_.next()) return event;
  report_losses();
  return subscription_.wait();
}

void EventListener::Delivery::report_losses() {
  since_losses_ = 0;
  if (!on_lost_ || ended_) return;
  const std::uint64_t lost = subscription_.lost();
  if (lost > lost_reported_) on_lost_(lost - std::exchange(lost_reported_, lost));
}

void EventListener::Delivery::end() {
  ended_ = true;
  subscription_.end();
  join();
}

void EventListener::Delivery::finish() {
  subscription_.close();
  join();
}

void EventListener::Delivery::join() {
  if (runs_here()) return;
  const MutexLock lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

void EventListener::Delivery::detach() {
  const MutexLock lock(mutex_);
  if (thread_.joinable()) thread_.detach();
}

Result<EventListener> EventListener::start(Subscription subscription, Callback callback, LossCallback on_lost) {
  if (!callback) return fail(ErrorCode::validation_failed, "an event listener needs a callback");
  auto delivery = std::make_shared<Delivery>(std::move(subscription), std::move(callback), std::move(on_lost));
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

void EventListener::finish() {
  if (delivery_) delivery_->finish();
}

}  // namespace petri
