#include "process/mailbox/entrance.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "process/mailbox/deterministic_queue.h"
#include "process/process.h"
#include "process/turns/process_time.h"

namespace petri {

class PETRI_THREAD_ANNOTATION(scoped_lockable) Entrance::Lock {
 public:
  explicit Lock(Entrance& entrance) PETRI_THREAD_ANNOTATION(acquire_capability(entrance.mutex_)) : entrance_(entrance) {
    entrance_.mutex_.lock();
    entrance_.occupancy_.require_lock();
  }
  ~Lock() PETRI_THREAD_ANNOTATION(release_capability()) {
    if (entrance_.needs_nothing()) entrance_.occupancy_.release_lock();
    entrance_.mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Entrance& entrance_;
};

Entrance::Entrance(Process& process) : process_(process), mailbox_(process.services().account) {}

// Entering and leaving need no lock when there is nothing to look at and nobody to wake.
bool Entrance::needs_nothing() const {
  return !held_ && !killed_ && waiters_ == 0 && current_call_ == 0 && mailbox_.admits_everybody() &&
         !flags_.running().is_raised();
}

bool Entrance::ends_at_once(bool terminates) const {
  MutexLock lock(mutex_);
  const Occupation now = occupancy_.now();
  if (now == Occupation::busy) return false;
  return now != Occupation::idle || killed_ || !terminates;
}

// ---- to enter -------------------------------------------------------------------------------------------------

bool Entrance::try_enter(const Message& message, Line line) {
  // A message without a number cannot be cancelled, so nobody has to find it.
  if (message.id == 0 && occupancy_.try_without_lock(OccupationEvent::enter)) return true;
  Lock lock(*this);
  if (held_ || (line == Line::keep && !mailbox_.empty()) || !mailbox_.may_enter(message)) return false;
  if (!occupancy_.try_advance(OccupationEvent::enter)) return false;
  current_call_ = message.id;
  return true;
}

void Entrance::enter_to_start(std::uint64_t incarnation) {
  Lock lock(*this);
  occupancy_.advance(OccupationEvent::start);
  held_ = may_revive_ = false;
  killed_ = killed_before_start_ == incarnation;
  flags_.set_running(killed_);
  incarnation_.store(incarnation);
}

Entrance::ToStop Entrance::enter_to_stop(std::uint64_t incarnation) {
  const Workers::Pause pause(process_.services().workers);
  Lock lock(*this);
  if (incarnation_.load() != incarnation) return ToStop::gone;
  held_ = true;
  may_revive_ = false;
  process_.owner().hurry(scheduled_);  // the task finds nothing to do, and leaves
  while (at_work() && incarnation_.load() == incarnation) wait_for_change();
  if (incarnation_.load() != incarnation || !occupancy_.try_advance(OccupationEvent::enter)) return ToStop::gone;
  return killed_ ? ToStop::killed : ToStop::in_order;
}

Entrance::Taken Entrance::try_take(Frozen frozen) {
  Lock lock(*this);
  if (at_work()) return Taken::at_work;
  const bool held = held_ && frozen == Frozen::leave;
  if (held || killed_ || !occupancy_.try_advance(OccupationEvent::enter)) return Taken::down;
  return Taken::taken;
}

bool Entrance::enter_from_queue() {
  Lock lock(*this);
  lined_up_ -= std::min<std::uint32_t>(lined_up_, 1);
  return !held_ && occupancy_.try_advance(OccupationEvent::enter);
}

bool Entrance::enter_to_revive() {
  Lock lock(*this);
  return std::exchange(may_revive_, false) && occupancy_.try_advance(OccupationEvent::start);
}

// ---- entered --------------------------------------------------------------------------------------------------

void Entrance::leave(bool alive) {
  if (alive && occupancy_.try_without_lock(OccupationEvent::leave)) return;
  Lock lock(*this);
  end_call();
  occupancy_.advance(alive ? OccupationEvent::leave : OccupationEvent::end);
  handle_mailbox(Cause::may_resume);
  changed_.notify_all();
}

bool Entrance::take_message(Message& message) {
  Lock lock(*this);
  for (;;) {
    end_call();
    if (held_ || !at_work() || !mailbox_.take_next(message)) {
      occupancy_.advance(OccupationEvent::leave);
      changed_.notify_all();
      return false;
    }
    if (message.reply && message.stop.stop_requested()) {
      message.reply->give(fail(ErrorCode::cancelled, "the call was stopped before it began"));
    }
    const bool unwanted = message.reply && message.reply->settled();
    const bool stale = message.incarnation != 0 && message.incarnation != incarnation_.load();
    if (unwanted || stale) continue;
    current_call_ = message.id;
    return true;
  }
}

void Entrance::hand_over() {
  Lock lock(*this);
  end_call();
  submit_drain();
}

void Entrance::end_handler() {
  Lock lock(*this);
  end_call();
}

// Nothing is being done for anyone: what was meant for the last handler must not meet the next.
void Entrance::end_call() {
  current_call_ = 0;
  if (!killed_ && flags_.running().is_raised()) flags_.running().clear();
}

void Entrance::swap_flags() {
  Lock lock(*this);
  flags_.swap();
  flags_.set_running(killed_);
}

void Entrance::end_standby() {
  Lock lock(*this);
  flags_.standby().raise();
}

bool Entrance::set_may_revive(bool may) {
  Lock lock(*this);
  return std::exchange(may_revive_, may);
}

// ---- to end what is inside ------------------------------------------------------------------------------------

bool Entrance::kill(std::uint64_t incarnation) {
  Lock lock(*this);
  if (incarnation_.load() != incarnation) {
    killed_before_start_ = std::max(killed_before_start_, incarnation);
    return false;
  }
  killed_ = true;
  may_revive_ = false;
  flags_.running().raise();
  process_.owner().hurry(scheduled_);
  return true;
}

bool Entrance::interrupt_if(const std::function<bool()>& condition) {
  Lock lock(*this);
  if (!at_work() || !condition()) return false;
  flags_.running().raise();
  return true;
}

Entrance::Cancelled Entrance::cancel(std::uint64_t call_id, std::optional<Message>& waiting) {
  Lock lock(*this);
  waiting = mailbox_.take_call(call_id);
  if (waiting) return Cancelled::taken_out;
  if (current_call_ != call_id) return Cancelled::unknown;
  flags_.running().raise();
  return Cancelled::interrupted;
}

// A guest that is still inside is killed: nobody could reach it any more.
bool Entrance::close(std::list<Message>& dropped) {
  Lock lock(*this);
  const bool interrupted = at_work();
  occupancy_.advance(OccupationEvent::close);
  may_revive_ = false;
  dropped = mailbox_.take_all();
  killed_ = killed_ || interrupted;
  if (interrupted) flags_.running().raise();
  changed_.notify_all();
  return interrupted;
}

std::list<Message> Entrance::hold() {
  Lock lock(*this);
  held_ = true;
  return mailbox_.take_calls();
}

// ---- what waits -----------------------------------------------------------------------------------------------

Entrance::Put Entrance::put(Message&& message, std::uint64_t waiting_max, std::size_t& waiting) {
  Lock lock(*this);
  waiting = mailbox_.size();
  if (occupancy_.now() == Occupation::closed) return Put::closed;
  if (waiting >= waiting_max) return Put::full;
  message.queued_at = process_.services().clock.now();
  mailbox_.put(std::move(message));
  handle_mailbox(Cause::new_message);
  return Put::done;
}

// Where the process is not idle, whoever leaves it comes here. In a deterministic queue it has a place for each
// message, and gets it when the message comes. Messages whose place came while the process could not handle them have
// lost it, and get another.
void Entrance::handle_mailbox(Cause cause) {
  const bool can_handle = !held_ && occupancy_.now() == Occupation::idle && mailbox_.has_next();
  if (DeterministicQueue* queue = process_.services().queue) {
    if (!can_handle && cause != Cause::new_message) return;
    for (; lined_up_ < mailbox_.size(); ++lined_up_) queue->add(process_.shared_from_this());
    return;
  }
  if (!can_handle) return;
  occupancy_.advance(OccupationEvent::enter);
  submit_drain();
}

void Entrance::submit_drain() {
  // The sandbox is captured first, so that it is let go last.
  scheduled_ = process_.owner().submit(
      [kept = process_.owner().keep_alive(), self = process_.shared_from_this()] { self->drain(); });
  if (held_ || killed_) process_.owner().hurry(scheduled_);
}

std::size_t Entrance::mailbox_size() const {
  MutexLock lock(mutex_);
  return mailbox_.size();
}

std::vector<SavedMessage> Entrance::saved_mailbox() const {
  MutexLock lock(mutex_);
  return mailbox_.saved();
}

void Entrance::replace_mailbox(const std::vector<SavedMessage>& messages) {
  const Clock::TimePoint now = process_.services().clock.now();
  Lock lock(*this);
  mailbox_.replace_saved(messages, now);
}

std::vector<std::int64_t> Entrance::rung_timers() const {
  MutexLock lock(mutex_);
  return mailbox_.rung_timers(incarnation_.load());
}

std::uint64_t Entrance::chain_start(std::uint64_t chain_ns) const {
  MutexLock lock(mutex_);
  return mailbox_.chain_start(chain_ns);
}

// ---- to become quiescent --------------------------------------------------------------------------------------

void Entrance::close_gate(Clock::TimePoint started_by) {
  Lock lock(*this);
  mailbox_.close_gate(to_ns(started_by));
  handle_mailbox(Cause::may_resume);
}

void Entrance::open_gate() {
  Lock lock(*this);
  mailbox_.open_gate();
  handle_mailbox(Cause::may_resume);
}

bool Entrance::wait_until_idle(Clock::TimePoint deadline, const std::stop_token& stop) {
  const Workers::Pause pause(process_.services().workers);
  const std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  Lock lock(*this);
  while (at_work() && !stop.stop_requested()) {
    if (!wait_for_change(deadline)) break;
  }
  return !at_work();
}

// As long as somebody waits, whoever leaves takes the lock and wakes them.
bool Entrance::wait_for_change(Clock::TimePoint deadline) {
  bool in_time = true;
  ++waiters_;
  if (deadline == Clock::TimePoint::max())
    changed_.wait(mutex_);
  else
    in_time = changed_.wait_until(mutex_, deadline);
  --waiters_;
  return in_time;
}

}  // namespace petri
