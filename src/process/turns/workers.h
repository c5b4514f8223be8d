// Threads that run guests: no more at a time than there are workers. A guest that waits or has had its turn gives way.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/on_demand.h"
#include "base/threads/large_thread.h"
#include "base/threads/stack.h"
#include "base/threads/thread_pool.h"
#include "petri/result.h"
#include "process/turns/fair_line.h"

namespace petri {

// Why a guest that was put aside is woken before its next turn: it was ended, or its time is over.
struct EarlyWake {
  const std::atomic<std::uint32_t>* ended = nullptr;  // not 0: it was, and Workers::wake_ended() follows
  std::uint64_t deadline_ns = UINT64_MAX;             // of kernel_ns(CLOCK_MONOTONIC)
};

// A thread needs a permit to run a guest, and there are as many permits as workers. A thread that waits for something
// gives its permit back meanwhile, and one whose guest has had its turn lets others go first. Whoever has had the least
// time with a permit is next (FairLine), so what a sandbox waits for does not depend on how many others burn, nap or
// send themselves messages. Within one sandbox new work comes before guests that resume; every eighth permit goes to
// those all the same. All members may be called from any thread.
//
// Not a ThreadPool: that one starts a task as soon as there is a thread. Here a task needs a permit, which other
// threads wait for too; who of both is next is one decision, made under one lock.
class Workers {
  struct Waiter;

 public:
  using Task = std::function<void()>;  // must not throw

  // The owner of work: a sandbox has one. It outlives its tasks and waiting threads, which keep it alive.
  class Client : public FairLine::Member {
    friend class Workers;
    struct Queue {
      std::list<Task> tasks;
      std::list<Waiter*> resuming;   // what they waited for is there
      std::list<Waiter*> put_aside;  // they have had their turn
      FairLine::Place with_tasks, with_waiters;
      std::uint64_t grants = 0, used_at_grant = 0;
      bool has_waiters() const { return !resuming.empty() || !put_aside.empty(); }
    };
    // The lock of the Workers guards it. Guests that are only called from outside run on their callers' threads, so a
    // large population has none.
    OnDemand<Queue> queue_;
  };

  struct Options {
    std::size_t workers = 1;
    std::size_t threads_max = 4'096;  // those that run, wait or are put aside
    std::size_t idle_max = 16;        // threads kept for later beyond the workers
    std::chrono::nanoseconds turn = std::chrono::milliseconds(2);
  };

  // validation_failed for no workers, or for more than there may be threads.
  static Result<std::unique_ptr<Workers>> create(Options options);
  // Finishes every task that was submitted.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs the task on a thread with a large stack. Callers bound what they submit. Without a client it is the host's own
  // work, which comes first.
  void submit(Task task, Client* client = nullptr) EXCLUDES(mutex_);
  // The client is to be ended: its remaining work comes before that of a sandbox which has done nothing, as far as it
  // is little.
  void favour(Client& client) EXCLUDES(mutex_);

  // A thread's place among the workers. A guest whose stack is too small runs on another thread while the one that
  // entered it waits: it still sits where that one does.
  struct Seat {
    Workers* workers = nullptr;
    Client* client = nullptr;
    bool holds_permit = false;
    std::uint64_t since_ns = 0;  // when it was given its permit, on the monotonic clock
  };
  static Seat& seat_of_this_thread();

  // While this lives, this thread sits where another does that waits for it.
  class SameSeat {
   public:
    explicit SameSeat(Seat& seat);
    ~SameSeat();
    SameSeat(const SameSeat&) = delete;
    SameSeat& operator=(const SameSeat&) = delete;

   private:
    Seat* before_;
  };

  // A thread that is not one of ours runs a guest while this lives. It needs no permit for its first turn, which is
  // short: the caller brings the thread along.
  class Visit {
   public:
    explicit Visit(Workers& workers, Client* client = nullptr);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Workers& workers_;
    Seat& seat_;
    const Seat before_;
  };

  // This thread waits for something else while this lives: another may run. A guest that was ended meanwhile
  // continues without a permit, as in take_turn().
  class Pause {
   public:
    explicit Pause(Workers& workers, Seat& seat = seat_of_this_thread(),
                   const std::atomic<std::uint32_t>* ended = nullptr);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Workers& workers_;
    Seat& seat_;
    const std::atomic<std::uint32_t>* ended_;
    bool held_;
  };

  // A guest's turn is over: lets others go first if any wait. Returns when the next turn ends. A guest that is woken
  // early continues without a permit: all that is left to it is to end.
  std::uint64_t take_turn(std::uint64_t now_ns, Seat& seat = seat_of_this_thread(), const EarlyWake& wake = {})
      EXCLUDES(mutex_);
  // Wakes those of the client that want a permit and have been ended since.
  void wake_ended(Client* client = nullptr) EXCLUDES(mutex_);

  // For guests that may need more stack than the thread has that enters them; that one waits, and keeps its permit.
  ThreadPool& stacks() { return stacks_; }

  std::chrono::nanoseconds turn() const { return options_.turn; }
  // How long who sits there may run before it has to look who else wants to. Without a permit it runs beside as many
  // others as there are callers, and a hundred of them would have the kernel keep each from the processor for long:
  // past its deadline, too.
  std::chrono::nanoseconds first_turn(const Seat& seat) const {
    return seat.holds_permit ? options_.turn : options_.turn / 4;
  }
  std::size_t threads() const EXCLUDES(mutex_);

 private:
  // A thread that wants a permit, or a task.
  struct Waiter {
    Condition woken;
    bool granted = false;
    Task task;  // for a thread of ours that has nothing to do
    Client* client = nullptr;
    const std::atomic<std::uint32_t>* ended = nullptr;
    bool is_ended() const { return ended != nullptr && ended->load() != 0; }
  };

  explicit Workers(Options options) : options_(options) {}
  void work(std::uint64_t number) EXCLUDES(mutex_);
  bool next_task(Task& task) EXCLUDES(mutex_);  // its client is the seat's
  void release(Seat& seat) EXCLUDES(mutex_);
  void acquire_again(Seat& seat, const std::atomic<std::uint32_t>* ended) EXCLUDES(mutex_);
  void wait_in(std::list<Waiter*>& line, Seat& seat, const EarlyWake& wake = {}) REQUIRES(mutex_);
  Client& client_of(const Seat& seat) { return seat.client == nullptr ? own_ : *seat.client; }
  void give_up_permit(Seat& seat) REQUIRES(mutex_);
  void charge(Seat& seat);
  void line_up(Client& client) REQUIRES(mutex_);
  void leave_lines(Client& client) REQUIRES(mutex_);
  void wait_until(Condition& woken, std::uint64_t deadline_ns) REQUIRES(mutex_);
  void grant() REQUIRES(mutex_);
  void grant_and_start() REQUIRES(mutex_);
  Client* next_client() REQUIRES(mutex_);
  bool grant_to(Client& client) REQUIRES(mutex_);
  void raise_floor(Client& client) REQUIRES(mutex_);
  bool grant_waiter(std::list<Waiter*>& line) REQUIRES(mutex_);
  bool grant_task(Client& client) REQUIRES(mutex_);
  void want_thread() REQUIRES(mutex_);
  void start_wanted() EXCLUDES(mutex_);
  void join_ended() EXCLUDES(mutex_);

  const Options options_;
  ThreadPool stacks_{{.name = "petri-stack", .idle_max = kIdleStackThreadsMax}};
  mutable Mutex mutex_;
  std::size_t running_ GUARDED_BY(mutex_) = 0;  // permits that are out
  Client own_;                                  // the host
  std::size_t tasks_ GUARDED_BY(mutex_) = 0;    // of all clients
  FairLine with_tasks_ GUARDED_BY(mutex_), with_waiters_ GUARDED_BY(mutex_);
  // Where whoever comes back is ranked: high enough at the start for a favoured one to come before others.
  std::uint64_t floor_ GUARDED_BY(mutex_) = 2 * FairLine::kCredit;
  std::vector<Waiter*> idle_ GUARDED_BY(mutex_);  // threads of ours without a task
  std::size_t starting_ GUARDED_BY(mutex_) = 0;   // threads that have not asked for a task yet
  std::size_t alive_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  Condition all_done_;
  std::size_t wanted_ GUARDED_BY(mutex_) = 0;    // threads that whoever leaves the lock starts
  std::size_t starters_ GUARDED_BY(mutex_) = 0;  // threads of anybody that are starting one
  std::uint64_t last_thread_ GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::unique_ptr<LargeThread>> threads_
      GUARDED_BY(mutex_);                                // by number, until they are joined
  std::vector<std::uint64_t> ended_ GUARDED_BY(mutex_);  // numbers of threads that can be joined
};

}  // namespace petri
