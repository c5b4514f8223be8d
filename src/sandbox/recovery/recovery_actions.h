// Carries out what is due once supervision has given up; src/supervisor/recovery_rule.h decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "petri/sandbox.h"
#include "sandbox/activity.h"
#include "sandbox/journal/journal.h"
#include "sandbox/journal/operation.h"
#include "sandbox/recovery/decisions.h"
#include "sandbox/standing.h"
#include "sandbox/structural_control.h"
#include "sandbox/timers/timers.h"
#include "sandbox/trees/trees.h"
#include "sandbox/versions/module_table.h"
#include "supervisor/recovery_rule.h"

namespace petri {

class RecoveryHost {
 public:
  virtual ~RecoveryHost() = default;
  // To the versions that these modules had before; nothing runs, so there is no state to carry. An error, and nothing
  // has changed, for what cannot be linked so, or is refused now.
  virtual Result<void> roll_back(const std::vector<std::string>& modules) = 0;
};

// A step is structural work, done in a turn of its own on a worker's thread; verbs that come after the crash was
// answered wait for it (Decisions). Any thread; the lock is held for moments, and no other is taken under it.
class RecoveryActions final : public TreeNews {
 public:
  // All of it outlives this.
  struct Parts {
    const Recovery& rule;
    Timers& timers;
    Standing& standing;
    StructuralControl& control;
    Activity& activity;
    Trees& trees;
    ProcessTable& processes;
    ModuleTable& modules;
    Decisions& decisions;
    CurrentOperation& operation;
    RecoveryHost& host;
    Journal& journal;
  };
  using Turn = StructuralControl::Turn;
  using RunnerPtr = std::shared_ptr<const TreeRunner>;

  explicit RecoveryActions(const Parts& parts) : parts_(parts) {}

  // A process ended by itself, or did not start. What comes last before supervision gives up is the reason.
  void note_end(const Process& process, const Result<Outcome>& how) EXCLUDES(mutex_);
  // The class of the last of them.
  ErrorCategory last_failure() const EXCLUDES(mutex_);
  // Somebody starts it again: what was tried before does not count any more, and a retry that waits does nothing.
  void reset() EXCLUDES(mutex_);
  // True when a retry was waiting; it does nothing now.
  bool forget_retry() EXCLUDES(mutex_);
  // True while a retry waits.
  bool waits_to_retry() const EXCLUDES(mutex_);

  // TreeNews
  void supervisor_gave_up(const SupervisorGaveUp& news) override EXCLUDES(mutex_);
  void tree_gave_up(RunnerPtr tree) override EXCLUDES(mutex_);

 private:
  struct LastEnd {
    std::string text;
    ErrorCategory failure = ErrorCategory::runtime;
    Clock::TimePoint time;
    Clock::TimePoint first;  // of those that followed one another so closely that they are one failure
  };
  // Most sandboxes never have any of it.
  struct Past {
    LastEnd own, spawned;  // in the tree of the spec, and in that of what guests spawned
    RecoveryPast recovered;
  };
  enum class Acted : std::uint8_t { done, failed_again };

  const Clock& clock() const { return parts_.trees.services().clock(); }
  Past& past() REQUIRES(mutex_);
  LastEnd last_end(bool spawned) const EXCLUDES(mutex_);
  bool is_ending() const { return parts_.control.is_to_end() || parts_.standing.is_over(); }
  bool is_done_with(const RunnerPtr& gave_up) const;
  void submit(std::function<void()> work);

  void recover(const RunnerPtr& gave_up);
  void act(const Turn& turn, const RunnerPtr& gave_up);
  Acted act_once(const Turn& turn, const RunnerPtr& gave_up) EXCLUDES(mutex_);
  Acted take_step(const Turn& turn, const RecoveryStep& step, const LastEnd& last, const std::vector<std::string>& back,
                  const RunnerPtr& gave_up);
  void fail_after(const LastEnd& last);
  void retry_after(Clock::Duration pause, const LastEnd& last) EXCLUDES(mutex_);
  void retry(std::uint32_t ticket) EXCLUDES(mutex_);
  bool is_due(std::uint32_t ticket) const EXCLUDES(mutex_);

  const Parts parts_;
  mutable Mutex mutex_;
  std::unique_ptr<Past> past_ GUARDED_BY(mutex_);
  std::uint32_t retry_ticket_ GUARDED_BY(mutex_) = 0;  // of the retry that waits, 0: none does
  std::uint32_t last_retry_ticket_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
