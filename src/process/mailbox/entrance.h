// The entrance of a process: its state, its mailbox, the lock of both, and who may enter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "process/instance/kill_flags.h"
#include "process/mailbox/mailbox.h"
#include "process/mailbox/message.h"
#include "process/mailbox/occupancy.h"

namespace petri {

class Process;

// One thread at a time enters a process. Whoever has entered, and nobody else, touches the guest and what stands around
// it (MessageHandler, GuestCalls, BacktraceFinder); no lock of the process is held meanwhile. The lock here is held for
// moments, and guards only the state and the mailbox. With it the sandbox is never called except to hand over work
// (submit(), hurry(), DeterministicQueue::add()), so only locks of workers and queue are taken below it; the locks of
// the sandbox, and ProcessServices::waits(), are taken before it.
//
// It is a lock and no queue with a thread of its own, because most calls find the process idle and run on the thread of
// their caller, where handing the work over would cost more than the work. Such a call does not even take the lock: the
// state is an atomic word, and only what is out of the ordinary makes the word need the lock (needs_nothing()).
//
// All members may be called from any thread, those under "entered" only by the thread that has entered.
class Entrance {
 public:
  explicit Entrance(Process& process);
  Entrance(const Entrance&) = delete;
  Entrance& operator=(const Entrance&) = delete;

  KillFlags& flags() { return flags_; }
  // For what else is looked at for a moment (GuestWaits).
  Mutex& mutex() { return mutex_; }
  std::uint64_t incarnation() const { return incarnation_.load(); }
  // A thread has entered.
  bool at_work() const { return occupancy_.now() == Occupation::busy; }
  bool alive() const {
    const Occupation now = occupancy_.now();
    return now == Occupation::busy || now == Occupation::idle;
  }
  // stop() would run no guest and wait for nobody; `terminates`: the code has a petri_terminate.
  bool ends_at_once(bool terminates) const EXCLUDES(mutex_);

  // ---- to enter
  // Whether the messages that wait go first.
  enum class Line : bool { keep, jump };
  // For this message, on this thread. False: it has to wait in the mailbox, or the process is not there.
  bool try_enter(const Message& message, Line line) EXCLUDES(mutex_);
  // To create an instance of this number. It must be down.
  void enter_to_start(std::uint64_t incarnation) EXCLUDES(mutex_);
  // Waits until nobody is inside, and keeps everybody else out. `gone`: this incarnation is not alive any more, and
  // nobody has entered. `killed`: nothing more of the guest is to run.
  enum class ToStop : std::uint8_t { in_order, killed, gone };
  ToStop enter_to_stop(std::uint64_t incarnation) EXCLUDES(mutex_);
  // To exchange the instance, or to look at it. `taken`: leave(true) follows.
  enum class Taken : std::uint8_t { taken, down, at_work };
  // Says whether a process that hold() keeps from messages is taken, too.
  enum class Frozen : std::uint8_t { leave, take };
  Taken try_take(Frozen frozen = Frozen::leave) EXCLUDES(mutex_);
  void put_back() { leave(true); }
  // The place in the deterministic queue has come. False: the process cannot handle a message now.
  bool enter_from_queue() EXCLUDES(mutex_);
  // To put an instance in the place of the one that crashed. False: somebody has stopped it since set_may_revive().
  bool enter_to_revive() EXCLUDES(mutex_);

  // ---- entered
  // The instance is alive, or it is gone. What waits is handled next, by a task of the workers.
  void leave(bool alive) EXCLUDES(mutex_);
  // The next message that is still wanted. False: there is none, and the process has been left.
  bool take_message(Message& message) EXCLUDES(mutex_);
  // Others go first: the mailbox is handled later, by another task, which has entered already.
  void hand_over() EXCLUDES(mutex_);
  // Ends the handling of a message: a cancel that comes now finds nothing.
  void end_handler() EXCLUDES(mutex_);
  void swap_flags() EXCLUDES(mutex_);
  // Allows or forbids enter_to_revive(), until somebody stops the process. Returns what held before.
  bool set_may_revive(bool may) EXCLUDES(mutex_);

  // ---- to end what is inside; after true the flag of the guest is up, and what it waits for is to be ended
  // An incarnation that is yet to start is ended as soon as it does.
  bool kill(std::uint64_t incarnation) EXCLUDES(mutex_);
  // Ends what runs in an instance that is created beside this one: it is not exchanged meanwhile.
  void end_standby() EXCLUDES(mutex_);
  bool interrupt_if(const std::function<bool()>& condition) EXCLUDES(mutex_);
  // Cancels the call of this number; one that still waits is taken out of the mailbox.
  enum class Cancelled : std::uint8_t { unknown, interrupted, taken_out };
  Cancelled cancel(std::uint64_t call_id, std::optional<Message>& waiting) EXCLUDES(mutex_);
  // Nobody will enter again. Returns the messages that nobody will handle.
  bool close(std::list<Message>& dropped) EXCLUDES(mutex_);
  // No message is handled until the next start. Returns the calls that waited.
  std::list<Message> hold() EXCLUDES(mutex_);

  // ---- what waits
  enum class Put : std::uint8_t { done, closed, full };
  // Its bytes are on the account already. `waiting` is how many there were before.
  Put put(Message&& message, std::uint64_t waiting_max, std::size_t& waiting) EXCLUDES(mutex_);
  std::size_t mailbox_size() const EXCLUDES(mutex_);
  // The messages that have no caller. Calls are never copied, and never dropped here.
  std::vector<SavedMessage> saved_mailbox() const EXCLUDES(mutex_);
  void replace_mailbox(const std::vector<SavedMessage>& messages) EXCLUDES(mutex_);
  // The tags of timers of this incarnation that have rung and whose messages wait.
  std::vector<std::int64_t> rung_timers() const EXCLUDES(mutex_);
  // When a chain of calls started that comes to a guest here: see Mailbox.
  std::uint64_t chain_start(std::uint64_t chain_ns) const EXCLUDES(mutex_);

  // ---- to become quiescent, for hot reload: one thread at a time
  // From now on only calls of guests enter whose chain started by then, and what their senders sent before them; the
  // rest waits. May be called again with another time.
  void close_gate(Clock::TimePoint started_by) EXCLUDES(mutex_);
  void open_gate() EXCLUDES(mutex_);
  // Waits until no thread is inside, until the deadline, or until it is told to stop. False: one still is.
  bool wait_until_idle(Clock::TimePoint deadline, const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  // The lock, with which alone the state changes as long as it is held.
  class Lock;

  bool needs_nothing() const REQUIRES(mutex_);
  bool wait_for_change(Clock::TimePoint deadline = Clock::TimePoint::max()) REQUIRES(mutex_);
  void end_call() REQUIRES(mutex_);
  enum class Cause : std::uint8_t { new_message, may_resume };
  void handle_mailbox(Cause cause) REQUIRES(mutex_);
  void submit_drain() REQUIRES(mutex_);

  Process& process_;
  KillFlags flags_;
  std::atomic<std::uint64_t> incarnation_{0};

  mutable Mutex mutex_;
  Occupancy occupancy_;                            // changes with the lock, unless the lock is not needed
  bool held_ GUARDED_BY(mutex_) = false;           // no message is handled until the next start
  bool killed_ GUARDED_BY(mutex_) = false;         // nothing more of the guest is to run
  bool may_revive_ GUARDED_BY(mutex_) = false;     // it is down, and another instance may follow in its place
  std::uint32_t waiters_ GUARDED_BY(mutex_) = 0;   // threads that wait for the state to change
  std::uint32_t lined_up_ GUARDED_BY(mutex_) = 0;  // how often it stands in the deterministic queue
  Mailbox mailbox_ GUARDED_BY(mutex_);
  std::uint64_t scheduled_ GUARDED_BY(mutex_) = 0;            // the number of its last task that had to wait
  std::uint64_t current_call_ GUARDED_BY(mutex_) = 0;         // the number of the call that is handled; 0: it has none
  std::uint64_t killed_before_start_ GUARDED_BY(mutex_) = 0;  // an incarnation that was killed before it started
  Condition changed_;
};

}  // namespace petri
