// How a process goes on with other code: it comes to rest, a life is made beside the one it has, and takes its place.
#include <algorithm>
#include <utility>

#include "process/process.h"
#include "process/process_time.h"

namespace petri {

void Process::close_gate(Clock::TimePoint began_by) {
  MutexLock lock(mutex_);
  gate_ns_ = std::max<std::uint64_t>(to_ns(began_by), 1);
  if (state_ == State::idle) go_on_with_mailbox();
}

void Process::open_gate() {
  MutexLock lock(mutex_);
  gate_ns_ = 0;
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

std::vector<SavedLetter> Process::saved_mailbox() const {
  std::vector<SavedLetter> saved;
  MutexLock lock(mutex_);
  for (const Letter& letter : mailbox_) {
    if (letter.reply == nullptr) saved.push_back({letter.kind, letter.bytes, letter.sender, letter.tag});
  }
  return saved;
}

std::vector<std::int64_t> Process::rung_timers() const {
  std::vector<std::int64_t> tags;
  MutexLock lock(mutex_);
  for (const Letter& letter : mailbox_) {
    const bool stale = letter.incarnation != 0 && letter.incarnation != incarnation_.load();
    if (letter.kind == MessageKind::timer && !stale) tags.push_back(letter.tag);
  }
  return tags;
}

// They were there before anybody who calls now.
void Process::replace_mailbox(const std::vector<SavedLetter>& letters) {
  std::list<Letter> gone, come;
  for (const SavedLetter& saved : letters) {
    come.push_back({.kind = saved.kind,
                    .bytes = saved.bytes,
                    .sender = saved.sender,
                    .tag = saved.tag,
                    .queued_at = clock_.now()});
    account_.add_message();
    account_.hold_anyway(bytes_of(come.back()));
  }
  {
    MutexLock lock(mutex_);
    for (auto next = mailbox_.begin(); next != mailbox_.end();) {
      const auto one = next++;
      if (one->reply == nullptr) gone.splice(gone.end(), mailbox_, one);
    }
    mailbox_.splice(mailbox_.begin(), come);
  }
  for (const Letter& letter : gone) forget(letter);
}

// ---- the exchange ---------------------------------------------------------------------------------------------

void Process::exchange(Life&& life, std::shared_ptr<TrialPeriod> trial) {
  life.context->set_port(&port());
  life.context->not_live_yet = false;
  if (life_) life.context->go_on_from(*life_.context);
  life.saw_outside = life.saw_outside || life_.saw_outside;
  target_ = {};
  limits_number_ = 0;
  trial_ = std::move(trial);
  history_.close();
  Life before;
  {
    MutexLock lock(mutex_);
    before = std::exchange(life_, std::move(life));
    flag_.store(flag_.load() ^ 1U);
    set_flag(killed_);
    tier_.store(life_.tier());
    takes_messages_.store(life_.code->handle.has_value());
  }
  before = {};  // without the lock
  remember_from_here();
}

Result<void> Process::revive(Life&& life, const std::function<void()>& before_it_goes_on) {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(may_revive_, false)) return fail(ErrorCode::not_now, name_ + " was stopped meanwhile");
    state_ = State::busy;
  }
  const bool room = try_add_to_account();
  if (room) exchange(std::move(life), nullptr);
  if (room && before_it_goes_on) before_it_goes_on();
  leave(!room);
  if (room) return {};
  MutexLock lock(mutex_);
  may_revive_ = true;
  return fail(ErrorCode::limit_exceeded, "processes_max or memory_bytes_max leaves no room for " + name_);
}

}  // namespace petri
