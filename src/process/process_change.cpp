// How a process continues with other code: it becomes quiescent, and an instance that was created beside it takes the
// place of the one it has.
#include <algorithm>
#include <utility>

#include "process/process.h"
#include "process/process_time.h"

namespace petri {

void Process::close_gate(Clock::TimePoint began_by) {
  MutexLock lock(mutex_);
  mailbox_.close_gate(to_ns(began_by));
  if (state_ == State::idle) go_on_with_mailbox();
}

void Process::open_gate() {
  MutexLock lock(mutex_);
  mailbox_.open_gate();
  if (state_ == State::idle) go_on_with_mailbox();
}

bool Process::wait_until_idle(Clock::TimePoint deadline, const std::stop_token& stop) {
  const Workers::Pause pause(workers_);
  const std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  MutexLock lock(mutex_);
  while (state_ == State::busy && !stop.stop_requested()) {
    if (!changed_.wait_until(mutex_, deadline)) break;
  }
  return state_ != State::busy;
}

bool Process::at_work() const {
  MutexLock lock(mutex_);
  return state_ == State::busy;
}

Process::Taken Process::try_take(Frozen frozen) {
  MutexLock lock(mutex_);
  if (state_ == State::busy) return Taken::at_work;
  const bool held = held_ && frozen == Frozen::leave;
  if (state_ != State::idle || held || killed_) return Taken::down;
  state_ = State::busy;
  return Taken::taken;
}

// ---- the mailbox ----------------------------------------------------------------------------------------------

std::vector<SavedMessage> Process::saved_mailbox() const {
  MutexLock lock(mutex_);
  return mailbox_.saved();
}

std::vector<std::int64_t> Process::rung_timers() const {
  MutexLock lock(mutex_);
  return mailbox_.rung_timers(incarnation_.load());
}

void Process::replace_mailbox(const std::vector<SavedMessage>& messages) {
  const Clock::TimePoint now = clock_.now();
  MutexLock lock(mutex_);
  mailbox_.replace_saved(messages, now);
}

// ---- the exchange ---------------------------------------------------------------------------------------------

void Process::exchange(LiveInstance&& live, std::shared_ptr<TrialPeriod> trial) {
  live.context->set_port(&port());
  live.context->not_live_yet = false;
  if (live_) live.context->go_on_from(*live_.context);
  live.saw_outside = live.saw_outside || live_.saw_outside;
  target_ = {};
  limits_number_ = 0;
  trial_ = std::move(trial);
  history_.close();
  LiveInstance before;
  {
    MutexLock lock(mutex_);
    before = std::exchange(live_, std::move(live));
    flag_.store(flag_.load() ^ 1U);
    set_flag(killed_);
    tier_.store(live_.tier());
    takes_messages_.store(live_.code->handle.has_value());
  }
  before = {};  // without the lock
  remember_from_here();
}

Result<void> Process::revive(LiveInstance&& live, const std::function<void()>& before_it_goes_on) {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(may_revive_, false)) return fail(ErrorCode::not_now, name_ + " was stopped meanwhile");
    state_ = State::busy;
  }
  const bool room = try_add_to_account();
  if (room) exchange(std::move(live), nullptr);
  if (room && before_it_goes_on) before_it_goes_on();
  leave(!room);
  if (room) return {};
  MutexLock lock(mutex_);
  may_revive_ = true;
  return fail(ErrorCode::limit_exceeded, "processes_max or memory_bytes_max leaves no room for " + name_);
}

}  // namespace petri
