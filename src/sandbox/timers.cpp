#include "sandbox/timers.h"

namespace petri {

Result<std::unique_ptr<Timers>> Timers::create(const Clock& clock) {
  std::unique_ptr<Timers> timers(new Timers(clock));
  constexpr std::size_t kSmallStack = std::size_t{1} << 20;
  PETRI_TRY(timers->thread_, LargeThread::start({.name = "petri-timers", .stack_bytes = kSmallStack},
                                                [self = timers.get()] { self->work(); }));
  return timers;
}

Timers::~Timers() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.reset();
}

TimerId Timers::at(Clock::TimePoint time, Callback callback) {
  MutexLock lock(mutex_);
  const bool is_first = due_.empty() || time < due_.first_time();
  if (is_first) changed_.notify_all();
  return due_.add(time, std::move(callback));
}

bool Timers::cancel(TimerId timer) {
  MutexLock lock(mutex_);
  return due_.cancel(timer);
}

void Timers::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

std::size_t Timers::waiting() const {
  MutexLock lock(mutex_);
  return due_.size();
}

// The next that is due; waits for one. False: nothing will be done any more.
bool Timers::next(Callback& callback) {
  MutexLock lock(mutex_);
  for (;;) {
    if (ending_) return false;
    if (due_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const Clock::TimePoint first = due_.first_time();
    const Clock::TimePoint now = clock_.now();
    if (first <= now) {
      callback = due_.take_first();
      return true;
    }
    changed_.wait_until(mutex_, std::chrono::steady_clock::now() + (first - now));
  }
}

void Timers::work() {
  for (Callback callback; next(callback); callback = nullptr) callback();
}

}  // namespace petri
