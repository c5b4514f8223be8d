// Where a sandbox stands: its status, why, and what is refused because of that.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "petri/result.h"
#include "petri/sandbox.h"
#include "sandbox/journal/journal.h"
#include "sandbox/lifecycle.h"

namespace petri {

// Any thread. Its lock is held for moments; it comes before those of the trees, the modules and the processes, so that
// whoever holds it can look at them while the status stays as it is. Reading the status alone takes no lock.
//
// The status changes in steps that others rely on: the processes of a start are in their table before it is `running`,
// and it is `stopping` before the first of them leaves the table.
class Standing {
 public:
  // All of it outlives this.
  Standing(const std::string& sandbox, const Clock& clock, Journal& journal, WallTime created)
      : sandbox_(sandbox), clock_(clock), journal_(journal), updated_(created), changed_at_(clock.now()) {}

  SandboxStatus status() const { return status_.load(std::memory_order_acquire); }
  bool is_up() const { return petri::is_up(status()); }

  // ---- changes

  // To the status that follows from the event (lifecycle.h), which is reported; the only way to another status.
  void advance(LifecycleEvent event, const std::string& cause = {}) EXCLUDES(mutex_);
  // To `failed`; answers the error. The class of the failure is that of the error, unless a guest's end was the reason.
  Result<void> fail_with(Error error) EXCLUDES(mutex_);
  Result<void> fail_with(Error error, ErrorCategory failure) EXCLUDES(mutex_);
  // Why supervision gave up, until the sandbox runs again.
  void set_failure(ErrorCategory failure) EXCLUDES(mutex_);
  // For good; false: it was destroyed before.
  bool set_destroyed() EXCLUDES(mutex_);
  void note_restart() EXCLUDES(mutex_);
  // Something else of the sandbox has changed at this time.
  void note_update(WallTime time) EXCLUDES(mutex_);
  // While true, changes of the status are not what a caller wished, and the audit trail counts them as the guests'
  // doing.
  void set_recovering(bool recovers) { recovers_.store(recovers); }
  bool is_recovering() const { return recovers_.load(); }

  // ---- what is refused

  // not_found once it was destroyed: then nothing of the runtime is touched any more, which may be gone, too.
  Result<void> must_exist() const EXCLUDES(mutex_);
  // rejected, with status and cause, unless its processes answer.
  Result<void> must_run() const EXCLUDES(mutex_);

  // The same under the lock: what is looked at while the status stays as it is.
  Mutex& mutex() const PETRI_THREAD_ANNOTATION(lock_returned(mutex_)) { return mutex_; }
  Result<void> must_exist_now() const REQUIRES(mutex_);
  Result<void> must_run_now() const REQUIRES(mutex_);
  // As must_run(), but code may be exchanged where nothing runs, too.
  Result<void> must_be_changeable_now() const REQUIRES(mutex_);
  bool was_destroyed_now() const REQUIRES(mutex_) { return destroyed_; }

  // ---- what can be seen

  // It was stopped or destroyed, or is being: what its processes do does not change its status any more.
  bool is_over() const EXCLUDES(mutex_);
  // Since when it runs; nothing in any other status.
  std::optional<Clock::TimePoint> running_since_now() const REQUIRES(mutex_);
  // When its status or something else of it changed last.
  Clock::TimePoint changed_at() const EXCLUDES(mutex_);
  // All of one moment.
  struct Facts {
    SandboxStatus status = SandboxStatus::initializing;
    std::string cause;
    std::optional<ErrorCategory> failure;  // the class of the cause
    WallTime updated;
    std::uint64_t restarts = 0;
  };
  Facts facts() const EXCLUDES(mutex_);

 private:
  const std::string& sandbox_;
  const Clock& clock_;
  Journal& journal_;
  mutable Mutex mutex_;
  std::atomic<SandboxStatus> status_{SandboxStatus::initializing};  // written under mutex_
  std::atomic<bool> recovers_{false};
  bool destroyed_ GUARDED_BY(mutex_) = false;
  std::optional<ErrorCategory> failure_ GUARDED_BY(mutex_);
  std::string cause_ GUARDED_BY(mutex_);
  WallTime updated_ GUARDED_BY(mutex_);
  Clock::TimePoint changed_at_ GUARDED_BY(mutex_);
  Clock::TimePoint running_since_ GUARDED_BY(mutex_);
  std::uint64_t restarts_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
