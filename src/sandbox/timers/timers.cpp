#include "sandbox/timers/timers.h"

#include <algorithm>

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

namespace {

// A number says which queue it is of.
constexpr TimerId number_in(TimerId timer, Timers::Whose whose) {
  return 2 * timer + (whose == Timers::Whose::guests ? 1 : 0);
}

}  // namespace

TimerId Timers::at(Clock::TimePoint time, Callback callback, Whose whose) {
  MutexLock lock(mutex_);
  Queue& queue = whose == Whose::guests ? guests_ : hosts_;
  const bool is_first = queue.empty() || time < queue.first_time();
  if (is_first) changed_.notify_all();
  return number_in(queue.add(time, std::move(callback)), whose);
}

bool Timers::cancel(TimerId timer) {
  MutexLock lock(mutex_);
  return (timer % 2 == 1 ? guests_ : hosts_).cancel(timer / 2);
}

void Timers::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

std::size_t Timers::waiting() const {
  MutexLock lock(mutex_);
  return hosts_.size() + guests_.size();
}

Timers::Queue* Timers::next_queue(Clock::TimePoint now) {
  if (hosts_.empty() && guests_.empty()) return nullptr;
  if (guests_.empty()) return &hosts_;
  if (hosts_.empty()) return &guests_;
  const bool is_hosts = hosts_.first_time() <= std::max(now, guests_.first_time());
  return is_hosts ? &hosts_ : &guests_;
}

// The next that is due; waits for one. False: nothing will be done any more.
bool Timers::next(Callback& callback) {
  MutexLock lock(mutex_);
  for (;;) {
    if (ending_) return false;
    const Clock::TimePoint now = clock_.now();
    Queue* const queue = next_queue(now);
    if (queue == nullptr) {
      changed_.wait(mutex_);
      continue;
    }
    const Clock::TimePoint first = queue->first_time();
    if (first <= now) {
      callback = queue->take_first();
      return true;
    }
    // By the machine's clock, whatever clock this has: one that is moved by hand wakes it.
    changed_.wait_until(mutex_, std::chrono::steady_clock::now() + (first - now));
  }
}

void Timers::work() {
  for (Callback callback; next(callback); callback = nullptr) callback();
}

}  // namespace petri
