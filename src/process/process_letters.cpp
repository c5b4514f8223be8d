// The mailbox of a process: who may enter it, and what waits.
#include <fmt/format.h>

#include <algorithm>

#include "host/inside.h"
#include "process/host_work.h"
#include "process/process.h"

namespace petri {

bool Process::try_enter(const Letter& letter, Line line) {
  MutexLock lock(mutex_);
  if (state_ != State::idle || held_ || (line == Line::keep && !mailbox_.empty()) || !may_enter(letter)) return false;
  state_ = State::busy;
  current_call_ = letter.id;
  return true;
}

bool Process::may_enter(const Letter& letter) const {
  return gate_ns_ == 0 || (letter.depth > 0 && letter.chain_ns <= gate_ns_);
}

// The first; while the gate is closed the first that may enter, or what its sender sent before it.
std::list<Letter>::iterator Process::next_letter() {
  if (gate_ns_ == 0) return mailbox_.begin();
  const auto may =
      std::ranges::find_if(mailbox_, [this](const Letter& letter) REQUIRES(mutex_) { return may_enter(letter); });
  if (may == mailbox_.end()) return may;
  return std::find_if(mailbox_.begin(), may, [&](const Letter& letter) { return letter.sender == may->sender; });
}

// Of an idle one.
void Process::go_on_with_mailbox() {
  if (held_ || next_letter() == mailbox_.end()) return;
  if (lane_ != nullptr) return line_up(*lane_);
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

// Once for each letter: those that came while it could not handle them have lost their place.
void Process::line_up(Lane& lane) {
  for (; lined_up_ < mailbox_.size(); ++lined_up_) lane.add(shared_from_this());
}

void Process::handle_next() {
  const HostWork work(owner_);
  {
    MutexLock lock(mutex_);
    lined_up_ -= std::min<std::size_t>(lined_up_, 1);
    if (state_ != State::idle || held_) return;
    state_ = State::busy;
  }
  Letter letter;
  if (take_letter(letter) && !deliver(letter)) leave(false);
}

Result<void> Process::check_letter(std::size_t bytes, Process* by) const {
  const std::uint64_t bytes_max = account_.message_bytes_max();
  if (bytes <= bytes_max) return {};
  tell_refused(by, "message_bytes_max", bytes, bytes_max);
  return fail(ErrorCode::too_large,
              fmt::format("the message for {} has {} bytes and message_bytes_max allows {}", name_, bytes, bytes_max));
}

Result<void> Process::post(Letter letter) {
  PETRI_TRY(check_letter(letter.bytes.size(), kWorld));
  return post_from(kWorld, std::move(letter));
}

Result<void> Process::must_take(const Letter& letter) const {
  if (letter.kind != MessageKind::send || !letter.function.empty() || takes_messages()) return {};
  return fail(ErrorCode::not_found,
              fmt::format("the process {} takes no messages: its module exports no function petri_handle; export "
                          "petri_handle () -> i32 from it, or call a function that it exports",
                          name_));
}

Result<void> Process::post_from(Process* by, Letter letter) {
  PETRI_TRY(must_take(letter));
  const std::uint64_t queue_max = account_.message_queue_max();
  const std::uint64_t bytes = bytes_of(letter);
  if (!account_.try_hold(bytes)) {
    tell_refused(by, "memory_bytes_max", account_.taken() + bytes, account_.allowed());
    return fail(ErrorCode::limit_exceeded, fmt::format("memory_bytes_max leaves no room for a message to {}", name_));
  }
  std::size_t waiting = 0;
  bool closed = false;
  {
    MutexLock lock(mutex_);
    waiting = mailbox_.size();
    closed = state_ == State::closed;
    if (!closed && waiting < queue_max) {
      put(std::move(letter));
      return {};
    }
  }
  // Without the lock: whoever is told of a limit has locks of its own, under which it may ask this process.
  account_.let_go(bytes);
  if (closed) return ended_before_call(name_);
  tell_refused(by, "message_queue_max", waiting + 1, queue_max);
  return fail(ErrorCode::queue_full,
              fmt::format("{} messages wait for {} and message_queue_max allows no more", waiting, name_));
}

void Process::put(Letter letter) {
  account_.add_message();
  letter.queued_at = clock_.now();
  mailbox_.push_back(std::move(letter));
  if (lane_ != nullptr) return line_up(*lane_);
  if (state_ == State::idle) go_on_with_mailbox();
}

void Process::forget(const Letter& letter) {
  account_.remove_message();
  account_.let_go(bytes_of(letter));
}

// The next letter that is still wanted. False: there is none, and the process has been left.
bool Process::take_letter(Letter& letter) {
  MutexLock lock(mutex_);
  for (;;) {
    end_handler();
    const auto next = next_letter();
    if (next == mailbox_.end() || held_ || state_ == State::closed) {
      if (state_ != State::closed) state_ = State::idle;
      changed_.notify_all();
      return false;
    }
    forget(*next);  // before it is moved: what takes its place may keep the room of a larger one
    letter = std::move(*next);
    mailbox_.erase(next);
    if (letter.reply && letter.stop.stop_requested()) {
      letter.reply->give(fail(ErrorCode::cancelled, "the call was stopped before it began"));
    }
    const bool unwanted = letter.reply && letter.reply->settled();
    const bool stale = letter.incarnation != 0 && letter.incarnation != incarnation_.load();
    if (unwanted || stale) continue;
    current_call_ = letter.id;
    return true;
  }
}

// Handles what waits; after a turn others may go first.
void Process::drain() {
  const HostWork work(owner_);
  const Clock::TimePoint turn_end = clock_.now() + workers_.turn();
  for (Letter letter; take_letter(letter);) {
    if (deliver(letter)) return;
    if (clock_.now() < turn_end) continue;
    MutexLock lock(mutex_);
    end_handler();
    return schedule();
  }
}

// A completion keeps this process, unless that has ended, and with it the lane, if there is one.
bool Process::answer(Reply& reply, Result<Outcome> result, bool ended) {
  if (ended && lane_ == nullptr) return reply.give(std::move(result));
  const Inside inside(Inside::What::completion, {.owner = &owner_, .name = name_});
  return reply.give(std::move(result));
}

// Handles a letter that was taken, and answers it. True: the process has ended, and been left.
bool Process::deliver(Letter& letter) {
  bool ended = false;
  auto result = handle(letter, ended);
  const bool late = letter.reply && letter.reply->settled();
  if (late) owner_.late_answer();
  // Whoever has the answer finds nothing left of the call: no limit yet to be counted, nothing to cancel.
  if (ended) {
    come_to_end(result);
  } else if (letter.id != 0) {
    MutexLock lock(mutex_);
    end_handler();
  }
  if (letter.reply && !late && !answer(*letter.reply, std::move(result), ended)) owner_.late_answer();
  return ended;
}

Result<Outcome> Process::handle_and_leave(Letter& letter) {
  bool ended = false;
  auto result = handle(letter, ended);
  ended ? come_to_end(result) : leave(false);
  return result;
}

// Code that is on trial may be exchanged for the one before.
void Process::come_to_end(const Result<Outcome>& how) {
  const std::shared_ptr<TrialPeriod> trial = std::move(trial_);
  const std::uint64_t incarnation = incarnation_.load();
  std::function<void()> then;
  const bool taken_back = trial != nullptr && owner_.takes_back(*this, *trial, how, then);
  {
    MutexLock lock(mutex_);
    may_revive_ = taken_back;
  }
  leave(true);
  if (!taken_back) return owner_.process_ended(*this, incarnation, how);
  if (then) then();
}

void Process::bury(const Result<Outcome>& how) {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(may_revive_, false)) return;
  }
  owner_.process_buried(*this, incarnation_.load(), how);
}

Result<Outcome> Process::call(Letter&& letter, std::optional<Clock::TimePoint> deadline) {
  PETRI_TRY(check_letter(letter.bytes.size(), kWorld));
  if (!deadline && lane_ == nullptr && try_enter(letter, Line::keep)) {
    const Workers::Visit visit(workers_, owner_.client());
    // It may have been stopped before there was anything to be cancelled.
    if (letter.stop.stop_requested()) cancel(letter.id);
    return handle_and_leave(letter);
  }
  const ReplyPtr answer = std::make_shared<Reply>();
  letter.reply = answer;
  PETRI_TRY(post(std::move(letter)));
  const Workers::Pause pause(workers_);
  if (!deadline) return answer->wait();
  if (auto result = answer->wait_until(*deadline)) return std::move(*result);
  if (!answer->abandon()) return answer->wait();
  return fail(ErrorCode::timeout, fmt::format("{} did not answer in time; it goes on until its own limit", name_));
}

bool Process::cancel(std::uint64_t call_id) {
  if (call_id == 0) return false;  // what has no number cannot be meant
  Letter unbegun;
  bool begun = false;
  {
    MutexLock lock(mutex_);
    const auto waiting = std::ranges::find(mailbox_, call_id, &Letter::id);
    begun = waiting == mailbox_.end();
    if (begun) {
      if (current_call_ != call_id) return false;
      interrupt();
    } else {
      unbegun = std::move(*waiting);
      mailbox_.erase(waiting);
    }
  }
  if (begun) {
    cancel_helper();
    return true;
  }
  forget(unbegun);
  // Without the lock: a completion may call this process again.
  if (unbegun.reply) unbegun.reply->give(fail(ErrorCode::cancelled, "the call was cancelled before it began"));
  return true;
}

}  // namespace petri
