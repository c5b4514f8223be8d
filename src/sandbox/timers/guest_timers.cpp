#include "sandbox/timers/guest_timers.h"

#include <algorithm>
#include <chrono>

#include "petri/host_functions.h"
#include "process/turns/host_work.h"

namespace petri {

std::uint64_t GuestTimers::now_ms() const {
  if (const DeterministicQueue* const queue = services_.deterministic_queue()) return queue->time().ms();
  const auto now = services_.clock().now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::int32_t GuestTimers::start(Process& by, std::uint64_t guest_now_ms, std::uint64_t milliseconds, std::int64_t tag) {
  if (!by.takes_messages()) return static_cast<std::int32_t>(GuestError::not_found);  // nothing could handle it
  TreeAccount& account = services_.account();
  const TreeAccount::Added added = account.try_add_timer();
  if (added == TreeAccount::Added::too_many) {
    by.calls().note_met("timers_max", account.timers() + 1, account.limits()->timers_max);
  } else if (added == TreeAccount::Added::no_memory) {
    by.calls().note_met("memory_bytes_max", account.taken() + TreeAccount::kTimerBytes, account.allowed());
  }
  if (added != TreeAccount::Added::yes) return static_cast<std::int32_t>(GuestError::limit_exceeded);
  add(by, (services_.deterministic_queue() != nullptr ? guest_now_ms : now_ms()) + milliseconds, milliseconds, tag);
  return 0;
}

void GuestTimers::add(Process& by, std::uint64_t due_ms, std::uint64_t milliseconds, std::int64_t tag) {
  const auto id = std::make_shared<TimerId>(0);
  auto rings = [this, kept = services_.keep_alive(), process = by.weak_from_this(), incarnation = by.incarnation(),
                id] { ring(process, incarnation, *id); };
  DeterministicQueue* const queue = services_.deterministic_queue();
  // Held, so that one that rings at once finds itself in the list, and its number.
  MutexLock lock(mutex_);
  *id = queue != nullptr ? queue->add_timer(due_ms, std::move(rings))
                         : timers_.at(services_.clock().now() + std::chrono::milliseconds(milliseconds),
                                      std::move(rings), Timers::Whose::guests);
  if (all_ == nullptr) all_ = std::make_unique<All>();
  all_->waiting[owner_of(by)][*id] = {.due_ms = due_ms, .tag = tag};
}

// The number is written under the lock, and read there.
void GuestTimers::ring(const std::weak_ptr<Process>& process, std::uint64_t incarnation, const TimerId& timer) {
  const HostWork work(services_);
  const ProcessPtr receiver = process.lock();
  if (receiver == nullptr) return;
  const Owner owner(receiver.get(), incarnation);
  std::int64_t tag = 0;
  {
    MutexLock lock(mutex_);
    const auto own = all_->waiting.find(owner);
    const auto rung = own == all_->waiting.end() ? Waiting::node_type() : own->second.extract(timer);
    if (rung.empty()) return;  // it was cancelled
    tag = rung.mapped().tag;
    all_->ringing.insert(owner);
  }
  services_.account().remove_timer();
  static_cast<void>(receiver->post({.kind = MessageKind::timer, .tag = tag, .incarnation = incarnation}));
  MutexLock lock(mutex_);
  all_->ringing.erase(all_->ringing.find(owner));
  all_->rung.notify_all();
}

void GuestTimers::cancel(const Process& process, std::uint64_t incarnation) {
  Waiting gone;
  {
    MutexLock lock(mutex_);
    if (all_ == nullptr) return;
    const auto own = all_->waiting.extract({&process, incarnation});
    if (!own.empty()) gone = std::move(own.mapped());
  }
  for (const auto& [id, timer] : gone) {
    services_.deterministic_queue() != nullptr ? services_.deterministic_queue()->cancel_timer(id) : timers_.cancel(id);
    services_.account().remove_timer();
  }
}

void GuestTimers::wait_until_rung(const Owner& owner) {
  while (all_ != nullptr && all_->ringing.contains(owner)) all_->rung.wait(mutex_);
}

const GuestTimers::Waiting* GuestTimers::waiting_of(const Process& process) const {
  if (all_ == nullptr) return nullptr;
  const auto own = all_->waiting.find(owner_of(process));
  return own == all_->waiting.end() ? nullptr : &own->second;
}

void GuestTimers::settle(const Process& process) {
  cancel(process, process.incarnation());
  MutexLock lock(mutex_);
  wait_until_rung(owner_of(process));
}

std::vector<SavedTimer> GuestTimers::saved(const Process& process) const {
  const std::uint64_t now = now_ms();
  std::vector<SavedTimer> saved;
  MutexLock lock(mutex_);
  const Waiting* const own = waiting_of(process);
  if (own == nullptr) return saved;
  for (const auto& [id, timer] : *own) {
    saved.push_back({.left_ms = timer.due_ms - std::min(timer.due_ms, now), .tag = timer.tag});
  }
  std::ranges::sort(saved, {}, [](const SavedTimer& timer) { return std::pair(timer.left_ms, timer.tag); });
  return saved;
}

void GuestTimers::replace(Process& process, const std::vector<SavedTimer>& timers) {
  cancel(process, process.incarnation());
  for (const SavedTimer& timer : timers) {
    if (services_.account().try_add_timer() != TreeAccount::Added::yes) continue;
    add(process, now_ms() + timer.left_ms, timer.left_ms, timer.tag);
  }
}

std::vector<GuestTimer> GuestTimers::pending(const Process& process) {
  std::vector<GuestTimer> timers;
  const std::uint64_t now = now_ms();
  MutexLock lock(mutex_);  // no timer starts to fire while it is held
  wait_until_rung(owner_of(process));
  for (const std::int64_t tag : process.entrance().rung_timers()) timers.push_back({.due_ms = now, .tag = tag});
  const Waiting* const own = waiting_of(process);
  if (own == nullptr) return timers;
  for (const auto& [id, timer] : *own) timers.push_back(timer);
  return timers;
}

void GuestTimers::bring_back(Process& process, const std::vector<GuestTimer>& timers) {
  settle(process);
  const std::vector<std::int64_t> rung_tags = process.entrance().rung_timers();
  std::multiset<std::int64_t> in_mailbox(rung_tags.begin(), rung_tags.end());
  std::vector<SavedTimer> left;
  const std::uint64_t now = now_ms();
  for (const GuestTimer& timer : timers) {
    const auto rung = timer.due_ms <= now ? in_mailbox.find(timer.tag) : in_mailbox.end();
    if (rung != in_mailbox.end()) {
      in_mailbox.erase(rung);
      continue;
    }
    left.push_back({.left_ms = timer.due_ms - std::min(timer.due_ms, now), .tag = timer.tag});
  }
  replace(process, left);
}

}  // namespace petri
