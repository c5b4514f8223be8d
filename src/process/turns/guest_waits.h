// The wait of a process's guest, for an answer or for time to pass.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <variant>

#include "base/clock.h"
#include "base/mutex.h"
#include "petri/outcome.h"
#include "petri/result.h"
#include "process/instance/kill_flags.h"
#include "process/mailbox/reply.h"
#include "process/turns/workers.h"

namespace petri {

class Process;
using ProcessPtr = std::shared_ptr<Process>;

// The thread that has entered a process says here what it waits for, so that whoever raises the kill flag of the guest
// can end that, too: a guest that was ended does not wait for its callee. A thread waits for one thing at a time.
class GuestWaits {
 public:
  // A call that a process handles on the thread of its caller.
  struct Callee {
    ProcessPtr process;
    std::uint64_t call = 0;
  };
  using Awaited = std::variant<ReplyPtr, Callee, std::stop_source>;

  // The mutex is that of the entrance: every process has these, and a lock of its own would be half of it. It is held
  // for moments, to look at what is awaited. All outlive it.
  GuestWaits(Mutex& mutex, const KillFlags& flags) : mutex_(mutex), flags_(flags) {}

  // While it lives, this thread waits. False: the guest was ended before, and nobody may have seen what it waits for.
  class Wait {
   public:
    Wait(GuestWaits& waits, Awaited awaited) : waits_(waits), awaited_(std::move(awaited)) {
      may_wait_ = waits_.set(&awaited_);
    }
    ~Wait() { waits_.set(nullptr); }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    explicit operator bool() const { return may_wait_; }

   private:
    GuestWaits& waits_;
    Awaited awaited_;
    bool may_wait_ = false;
  };

  // Waits until the answer is there, until the deadline, or until the guest is ended.
  Result<Outcome> wait_for(const ReplyPtr& answer, Clock::TimePoint deadline, Workers& workers, Workers::Seat& seat);
  // For any thread that has raised the flag: ends what is waited for, unless the guest of that flag is gone meanwhile.
  void end() EXCLUDES(mutex_);

 private:
  bool set(const Awaited* awaited) EXCLUDES(mutex_);

  Mutex& mutex_;
  const KillFlags& flags_;
  const Awaited* awaited_ GUARDED_BY(mutex_) = nullptr;  // on the stack of the thread that waits
};

}  // namespace petri
