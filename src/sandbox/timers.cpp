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

Timers::Id Timers::at(Clock::TimePoint time, Callback callback) {
  MutexLock lock(mutex_);
  const Id timer = ++last_;
  const auto [place, added] = due_.emplace(Key{time, timer}, std::move(callback));
  times_.emplace(timer, time);
  if (place == due_.begin()) changed_.notify_all();
  return timer;
}

bool Timers::cancel(Id timer) {
  MutexLock lock(mutex_);
  const auto found = times_.find(timer);
  if (found == times_.end()) return false;
  due_.erase({found->second, timer});
  times_.erase(found);
  return true;
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
    const auto first = due_.begin();
    const Clock::TimePoint now = clock_.now();
    if (first->first.first <= now) {
      callback = std::move(first->second);
      times_.erase(first->first.second);
      due_.erase(first);
      return true;
    }
    changed_.wait_until(mutex_, std::chrono::steady_clock::now() + (first->first.first - now));
  }
}

void Timers::work() {
  for (Callback callback; next(callback); callback = nullptr) callback();
}

}  // namespace petri
