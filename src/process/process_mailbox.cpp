// The mailbox of a process: who may enter it, and what waits.
#include <fmt/format.h>

#include <algorithm>

#include "host/inside.h"
#include "process/host_work.h"
#include "process/process.h"

namespace petri {

bool Process::try_enter(const Message& message, Line line) {
  MutexLock lock(mutex_);
  if (state_ != State::idle || held_ || (line == Line::keep && !mailbox_.empty()) || !mailbox_.may_enter(message))
    return false;
  state_ = State::busy;
  current_call_ = message.id;
  return true;
}

// Of an idle one.
void Process::go_on_with_mailbox() {
  if (held_ || !mailbox_.has_next()) return;
  if (queue_ != nullptr) return line_up(*queue_);
  state_ = State::busy;
  schedule();
}

void Process::leave(bool ended) {
  MutexLock lock(mutex_);
  end_handler();
  if (state_ == State::closed) return;
  state_ = ended ? State::down : State::idle;
  if (!ended) go_on_with_mailbox();
  changed_.notify_all();
}

// The task has entered for whoever handles the mailbox.
void Process::schedule() {
  // Its owner first, so that it goes last.
  scheduled_ = owner_.submit([kept = owner_.keep_alive(), self = shared_from_this()] { self->drain(); });
  if (held_ || killed_) owner_.hurry(scheduled_);
}

// Once for each message: those that came while it could not handle them have lost their place.
void Process::line_up(DeterministicQueue& queue) {
  for (; lined_up_ < mailbox_.size(); ++lined_up_) queue.add(shared_from_this());
}

void Process::handle_next() {
  const HostWork work(owner_);
  {
    MutexLock lock(mutex_);
    lined_up_ -= std::min<std::size_t>(lined_up_, 1);
    if (state_ != State::idle || held_) return;
    state_ = State::busy;
  }
  Message message;
  if (take_message(message) && !deliver(message)) leave(false);
}

Result<void> Process::check_message(std::size_t bytes, Process* by) const {
  const std::uint64_t bytes_max = account_.message_bytes_max();
  if (bytes <= bytes_max) return {};
  report_refused(by, "message_bytes_max", bytes, bytes_max);
  return fail(ErrorCode::too_large,
              fmt::format("the message for {} has {} bytes and message_bytes_max allows {}", name_, bytes, bytes_max));
}

Result<void> Process::post(Message message) {
  PETRI_TRY(check_message(message.bytes.size(), kWorld));
  return post_from(kWorld, std::move(message));
}

Result<void> Process::must_take(const Message& message) const {
  if (message.kind != MessageKind::send || !message.function.empty() || takes_messages()) return {};
  return fail(ErrorCode::not_found,
              fmt::format("the process {} takes no messages: its module exports no function petri_handle; export "
                          "petri_handle () -> i32 from it, or call a function that it exports",
                          name_));
}

Result<void> Process::post_from(Process* by, Message message) {
  PETRI_TRY(must_take(message));
  const std::uint64_t queue_max = account_.message_queue_max();
  const std::uint64_t bytes = bytes_of(message);
  if (!account_.try_hold(bytes)) {
    report_refused(by, "memory_bytes_max", account_.taken() + bytes, account_.allowed());
    return fail(ErrorCode::limit_exceeded, fmt::format("memory_bytes_max leaves no room for a message to {}", name_));
  }
  std::size_t waiting = 0;
  bool closed = false;
  {
    MutexLock lock(mutex_);
    waiting = mailbox_.size();
    closed = state_ == State::closed;
    if (!closed && waiting < queue_max) {
      put(std::move(message));
      return {};
    }
  }
  // Without the lock: whoever is told of a limit has locks of its own, under which it may ask this process.
  account_.let_go(bytes);
  if (closed) return ended_before_call(name_);
  report_refused(by, "message_queue_max", waiting + 1, queue_max);
  return fail(ErrorCode::queue_full,
              fmt::format("{} messages wait for {} and message_queue_max allows no more", waiting, name_));
}

void Process::put(Message message) {
  message.queued_at = clock_.now();
  mailbox_.put(std::move(message));
  if (queue_ != nullptr) return line_up(*queue_);
  if (state_ == State::idle) go_on_with_mailbox();
}

// The next message that is still wanted. False: there is none, and the process has been left.
bool Process::take_message(Message& message) {
  MutexLock lock(mutex_);
  for (;;) {
    end_handler();
    if (held_ || state_ == State::closed || !mailbox_.take_next(message)) {
      if (state_ != State::closed) state_ = State::idle;
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

// Handles what waits; after a turn others may go first.
void Process::drain() {
  const HostWork work(owner_);
  const Clock::TimePoint turn_end = clock_.now() + workers_.turn();
  for (Message message; take_message(message);) {
    if (deliver(message)) return;
    if (clock_.now() < turn_end) continue;
    MutexLock lock(mutex_);
    end_handler();
    return schedule();
  }
}

// A completion keeps this process, unless that has ended, and with it the deterministic queue, if there is one.
bool Process::answer(Reply& reply, Result<Outcome> result, bool ended) {
  if (ended && queue_ == nullptr) return reply.give(std::move(result));
  const Inside inside(Inside::What::completion, {.owner = &owner_, .name = name_});
  return reply.give(std::move(result));
}

// Handles a message that was taken, and answers it. True: the process has ended, and been left.
bool Process::deliver(Message& message) {
  bool ended = false;
  auto result = handle(message, ended);
  const bool late = message.reply && message.reply->settled();
  if (late) owner_.late_answer();
  // Whoever has the answer finds nothing left of the call: no limit yet to be counted, nothing to cancel.
  if (ended) {
    come_to_end(result);
  } else if (message.id != 0) {
    MutexLock lock(mutex_);
    end_handler();
  }
  if (message.reply && !late && !answer(*message.reply, std::move(result), ended)) owner_.late_answer();
  return ended;
}

Result<Outcome> Process::handle_and_leave(Message& message) {
  bool ended = false;
  auto result = handle(message, ended);
  ended ? come_to_end(result) : leave(false);
  return result;
}

// Code that is on trial may be exchanged for the one before.
void Process::come_to_end(const Result<Outcome>& how) {
  const std::shared_ptr<TrialPeriod> trial = std::move(trial_);
  const std::uint64_t incarnation = incarnation_.load();
  std::function<void()> then;
  const bool taken_back = trial != nullptr && owner_.begin_rollback(*this, *trial, how, then);
  {
    MutexLock lock(mutex_);
    may_revive_ = taken_back;
  }
  leave(true);
  if (!taken_back) return owner_.process_ended(*this, incarnation, how);
  if (then) then();
}

void Process::report_exit(const Result<Outcome>& how) {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(may_revive_, false)) return;
  }
  owner_.process_not_revived(*this, incarnation_.load(), how);
}

Result<Outcome> Process::call(Message&& message, std::optional<Clock::TimePoint> deadline) {
  PETRI_TRY(check_message(message.bytes.size(), kWorld));
  if (!deadline && queue_ == nullptr && try_enter(message, Line::keep)) {
    const Workers::Visit visit(workers_, owner_.client());
    // It may have been stopped before there was anything to be cancelled.
    if (message.stop.stop_requested()) cancel(message.id);
    return handle_and_leave(message);
  }
  const ReplyPtr answer = std::make_shared<Reply>();
  message.reply = answer;
  PETRI_TRY(post(std::move(message)));
  const Workers::Pause pause(workers_);
  if (!deadline) return answer->wait();
  if (auto result = answer->wait_until(*deadline)) return std::move(*result);
  if (!answer->abandon()) return answer->wait();
  return fail(ErrorCode::timeout, fmt::format("{} did not answer in time; it goes on until its own limit", name_));
}

bool Process::cancel(std::uint64_t call_id) {
  if (call_id == 0) return false;  // what has no number cannot be meant
  std::optional<Message> waiting;
  {
    MutexLock lock(mutex_);
    waiting = mailbox_.take_call(call_id);
    if (!waiting && current_call_ != call_id) return false;
    if (!waiting) interrupt();
  }
  if (!waiting) {
    cancel_helper();
    return true;
  }
  // Without the lock: a completion may call this process again.
  if (waiting->reply) waiting->reply->give(fail(ErrorCode::cancelled, "the call was cancelled before it began"));
  return true;
}

}  // namespace petri
