#include "process/turns/workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"

namespace petri {
namespace {

// Every so many permits one goes to a guest that was put aside, whatever is new.
constexpr std::uint64_t kShareOfThePutAside = 8;

// Where this thread sits instead of at its own.
constinit thread_local Workers::Seat* seat_of_another = nullptr;

}  // namespace

Workers::Seat& Workers::seat_of_this_thread() {
  thread_local Seat seat;
  return seat_of_another == nullptr ? seat : *seat_of_another;
}

Workers::SameSeat::SameSeat(Seat& seat) : before_(std::exchange(seat_of_another, &seat)) {}

Workers::SameSeat::~SameSeat() { seat_of_another = before_; }

Result<std::unique_ptr<Workers>> Workers::create(Options options) {
  if (options.workers == 0) return fail(ErrorCode::validation_failed, "workers is 0: at least one is needed");
  if (options.workers > options.threads_max) {
    return fail(ErrorCode::validation_failed, fmt::format("{} workers need as many threads, and threads_max is {}",
                                                          options.workers, options.threads_max));
  }
  std::unique_ptr<Workers> workers(new Workers(options));
  {
    MutexLock lock(workers->mutex_);
    workers->want_thread();
  }
  workers->start_wanted();
  // One there always is; more come as they are needed, where the machine has them.
  if (workers->threads() == 0) return fail(ErrorCode::busy, "the machine gives no thread for guests to run on");
  return workers;
}

Workers::~Workers() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
    for (Waiter* thread : idle_) thread->woken.notify_one();
    while (alive_ > 0 || starters_ > 0) all_done_.wait(mutex_);
  }
  join_ended();
}

void Workers::submit(Task task, Client* client) {
  join_ended();
  {
    MutexLock lock(mutex_);
    Client& whose = client == nullptr ? own_ : *client;
    whose.queue_.write().tasks.push_back(std::move(task));
    ++tasks_;
    line_up(whose);
    grant();
  }
  start_wanted();
}

void Workers::favour(Client& client) {
  MutexLock lock(mutex_);
  Client::Queue& queue = client.queue_.write();
  with_tasks_.remove(client, queue.with_tasks);
  with_waiters_.remove(client, queue.with_waiters);
  client.favour(floor_);
  line_up(client);
}

void Workers::line_up(Client& client) {
  Client::Queue& queue = client.queue_.write();
  if (!queue.with_tasks.stands() && !queue.with_waiters.stands()) {
    client.come_back(floor_, kernel_ns(CLOCK_MONOTONIC));
  }
  if (!queue.tasks.empty()) with_tasks_.add(client, queue.with_tasks);
  if (queue.has_waiters()) with_waiters_.add(client, queue.with_waiters);
}

void Workers::leave_lines(Client& client) {
  Client::Queue& queue = client.queue_.write();
  if (queue.tasks.empty()) with_tasks_.remove(client, queue.with_tasks);
  if (!queue.has_waiters()) with_waiters_.remove(client, queue.with_waiters);
}

std::size_t Workers::threads() const {
  MutexLock lock(mutex_);
  return alive_;
}

// Hands out permits while there are some and somebody wants one.
void Workers::grant() {
  while (running_ < options_.workers) {
    Client* client = next_client();
    if (client == nullptr || !grant_to(*client)) return;
  }
}

// The client that has had the least of those that can be served: a task needs a thread too. Without an idle one a
// thread is started, and asks again.
Workers::Client* Workers::next_client() {
  if (idle_.empty() && starting_ < tasks_) want_thread();
  FairLine::Member* waiting = with_waiters_.first();
  FairLine::Member* tasked = idle_.empty() ? nullptr : with_tasks_.first();
  const bool takes_task = tasked != nullptr && (waiting == nullptr || tasked->rank() <= waiting->rank());
  return static_cast<Client*>(takes_task ? tasked : waiting);
}

// By the highest rank that is served; and by what each could have had of what this one has used meanwhile, so that
// those who use little, and are many, cannot keep somebody else from being served for ever.
void Workers::raise_floor(Client& client) {
  const std::uint64_t used = client.used();
  const std::uint64_t members = std::max<std::size_t>(with_tasks_.size() + with_waiters_.size(), 1);
  floor_ =
      std::max(floor_ + (used - std::exchange(client.queue_.write().used_at_grant, used)) / members, client.rank());
}

// Its new work and those who resume take turns, those who were put aside come behind them.
bool Workers::grant_to(Client& client) {
  raise_floor(client);
  Client::Queue& queue = client.queue_.write();
  const std::uint64_t number = queue.grants++;
  const bool turn_of_the_put_aside = number % kShareOfThePutAside == kShareOfThePutAside - 1;
  const bool granted = (turn_of_the_put_aside && grant_waiter(queue.put_aside)) ||
                       (number % 2 == 0 && grant_task(client)) || grant_waiter(queue.resuming) || grant_task(client) ||
                       grant_waiter(queue.put_aside);
  leave_lines(client);
  return granted;
}

// For somebody who continues to wait with the lock.
void Workers::grant_and_start() {
  grant();
  if (wanted_ == 0) return;
  mutex_.unlock();
  start_wanted();
  mutex_.lock();
}

bool Workers::grant_waiter(std::list<Waiter*>& line) {
  if (line.empty()) return false;
  Waiter* next = line.front();
  line.pop_front();
  ++running_;
  next->granted = true;
  next->woken.notify_one();
  return true;
}

// The task goes to an idle thread together with its permit.
bool Workers::grant_task(Client& client) {
  std::list<Task>& tasks = client.queue_.write().tasks;
  if (tasks.empty() || idle_.empty()) return false;
  Waiter* thread = idle_.back();
  idle_.pop_back();
  ++running_;
  thread->granted = true;
  thread->client = &client == &own_ ? nullptr : &client;
  thread->task = std::move(tasks.front());
  tasks.pop_front();
  --tasks_;
  thread->woken.notify_one();
  return true;
}

void Workers::want_thread() {
  if (alive_ >= options_.threads_max) return;
  ++alive_;
  ++starting_;
  ++wanted_;
}

// Without the lock: to map a stack may take as long as others map and unmap, and nobody is to wait for that.
void Workers::start_wanted() {
  for (;;) {
    std::uint64_t number = 0;
    {
      MutexLock lock(mutex_);
      if (wanted_ == 0) return;
      --wanted_;
      ++starters_;
      number = ++last_thread_;
    }
    auto thread = LargeThread::start({.name = "petri-guest"}, [this, number] { work(number); });
    MutexLock lock(mutex_);
    if (thread) {
      threads_[number] = std::move(*thread);
    } else {
      --alive_;
      --starting_;
    }
    --starters_;
    all_done_.notify_all();
  }
}

void Workers::work(std::uint64_t number) {
  Seat& seat = seat_of_this_thread();
  seat.workers = this;
  {
    MutexLock lock(mutex_);
    --starting_;
  }
  for (Task task; next_task(task); task = nullptr) {
    seat.holds_permit = true;
    seat.since_ns = kernel_ns(CLOCK_MONOTONIC);
    task();
    charge(seat);
    seat.client = nullptr;  // who may be gone with the task
  }
  MutexLock lock(mutex_);
  ended_.push_back(number);
  --alive_;
  all_done_.notify_all();
}

// Gives the permit back and waits for a task that comes with one. False: the thread is to end.
bool Workers::next_task(Task& task) {
  if (std::exchange(this_stack_was_deep, false)) return_stack_pages();
  Seat& seat = seat_of_this_thread();
  MutexLock lock(mutex_);
  give_up_permit(seat);
  Waiter self;
  idle_.push_back(&self);
  grant_and_start();
  while (!self.granted) {
    const bool too_many = idle_.size() > options_.workers + options_.idle_max;
    if (too_many || (ending_ && tasks_ == 0)) {
      std::erase(idle_, &self);
      if (ending_ && !idle_.empty()) idle_.back()->woken.notify_one();  // its turn to see it
      return false;
    }
    self.woken.wait(mutex_);
  }
  task = std::move(self.task);
  seat.client = self.client;
  return true;
}

// A machine that gives the thread's processor to others for long is not the client's doing.
void Workers::charge(Seat& seat) {
  if (!seat.holds_permit || seat.client == nullptr) return;
  const auto most = 2 * static_cast<std::uint64_t>(options_.turn.count());
  const std::uint64_t now = kernel_ns(CLOCK_MONOTONIC);
  seat.client->add_used(std::min(now - seat.since_ns, most), now);
  seat.since_ns = now;
}

void Workers::give_up_permit(Seat& seat) {
  charge(seat);
  if (seat.holds_permit) --running_;
  seat.holds_permit = false;
}

// In a line of the seat's client.
void Workers::wait_in(std::list<Waiter*>& line, Seat& seat, const EarlyWake& wake) {
  Waiter self;
  self.ended = wake.ended;
  line.push_back(&self);
  line_up(client_of(seat));
  grant_and_start();
  while (!self.granted && !self.is_ended() && kernel_ns(CLOCK_MONOTONIC) < wake.deadline_ns) {
    wait_until(self.woken, wake.deadline_ns);
  }
  if (!self.granted) {
    std::erase(line, &self);
    leave_lines(client_of(seat));
  }
  seat.holds_permit = self.granted;
  seat.since_ns = kernel_ns(CLOCK_MONOTONIC);
}

// Most have a deadline so far away that no clock could tell it.
void Workers::wait_until(Condition& woken, std::uint64_t deadline_ns) {
  constexpr std::uint64_t kFarAway = std::uint64_t{1} << 62;
  if (deadline_ns >= kFarAway) return woken.wait(mutex_);
  static_cast<void>(woken.wait_until(mutex_, Clock::TimePoint(std::chrono::nanoseconds(deadline_ns))));
}

void Workers::wake_ended(Client* client) {
  MutexLock lock(mutex_);
  const Client::Queue& queue = *(client == nullptr ? own_ : *client).queue_;
  for (const std::list<Waiter*>* line : {&queue.resuming, &queue.put_aside}) {
    for (Waiter* waiter : *line) {
      if (waiter->is_ended()) waiter->woken.notify_one();
    }
  }
}

void Workers::release(Seat& seat) {
  {
    MutexLock lock(mutex_);
    give_up_permit(seat);
    grant();
  }
  start_wanted();
}

void Workers::acquire_again(Seat& seat, const std::atomic<std::uint32_t>* ended) {
  MutexLock lock(mutex_);
  wait_in(client_of(seat).queue_.write().resuming, seat, {.ended = ended});
}

std::uint64_t Workers::take_turn(std::uint64_t now_ns, Seat& seat, const EarlyWake& wake) {
  const auto turn = static_cast<std::uint64_t>(options_.turn.count());
  MutexLock lock(mutex_);
  const bool somebody_waits = tasks_ > 0 || !with_waiters_.empty();
  if (seat.holds_permit && !somebody_waits) return now_ns + turn;
  give_up_permit(seat);
  wait_in(client_of(seat).queue_.write().put_aside, seat, wake);
  return kernel_ns(CLOCK_MONOTONIC) + turn;
}

// Threads join one another: one that has ended cannot join itself. One that has only just been started may not be
// known.
void Workers::join_ended() {
  std::vector<std::unique_ptr<LargeThread>> joined;
  MutexLock lock(mutex_);
  std::erase_if(ended_, [&](std::uint64_t number) REQUIRES(mutex_) {
    const auto found = threads_.find(number);
    if (found == threads_.end()) return false;
    joined.push_back(std::move(found->second));
    threads_.erase(found);
    return true;
  });
}

Workers::Visit::Visit(Workers& workers, Client* client)
    : workers_(workers), seat_(seat_of_this_thread()), before_(seat_) {
  if (before_.workers != &workers) seat_ = {.workers = &workers};
  workers.charge(seat_);  // from here on it is for another
  seat_.client = client;
}

Workers::Visit::~Visit() {
  if (before_.workers == &workers_) {
    workers_.charge(seat_);
    seat_.client = before_.client;
    return;
  }
  if (seat_.holds_permit) workers_.release(seat_);
  seat_ = before_;
}

Workers::Pause::Pause(Workers& workers, Seat& seat, const std::atomic<std::uint32_t>* ended)
    : workers_(workers), seat_(seat), ended_(ended), held_(seat.holds_permit && seat.workers == &workers) {
  if (held_) workers_.release(seat_);
}

Workers::Pause::~Pause() {
  if (held_) workers_.acquire_again(seat_, ended_);
}

}  // namespace petri
