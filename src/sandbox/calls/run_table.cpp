#include "sandbox/calls/run_table.h"

#include <algorithm>

namespace petri {
namespace {

bool run_waits(const SandboxRunPtr& run) { return run->started_ns.load() == 0; }

void answer_cancelled(const SandboxRun& run) {
  run.reply->give(fail(ErrorCode::cancelled, "the run was cancelled before it began"));
}

}  // namespace

bool RunTable::add(const SandboxRunPtr& run, std::uint64_t waiting_max) {
  MutexLock lock(mutex_);
  if (waiting_now() >= waiting_max) return false;
  runs_.push_back(run);
  last_asked_ = std::max(last_asked_, run->asked);
  return true;
}

// A run that was cancelled has left the table already, and 0 is the time of those that wait.
bool RunTable::begin(const SandboxRunPtr& run, std::uint64_t now_ns) {
  MutexLock lock(mutex_);
  if (std::ranges::find(runs_, run) == runs_.end()) return false;
  run->started_ns.store(std::max<std::uint64_t>(now_ns, 1));
  return true;
}

bool RunTable::remove(const SandboxRunPtr& run) {
  MutexLock lock(mutex_);
  return std::erase(runs_, run) > 0;
}

bool RunTable::cancel(std::uint64_t id) {
  if (id == 0) return false;  // what has no number cannot be meant
  SandboxRunPtr run;
  {
    MutexLock lock(mutex_);
    const auto found = std::ranges::find(runs_, id, &SandboxRun::id);
    if (found == runs_.end()) return false;
    run = *found;
    if (run_waits(run)) runs_.erase(found);
  }
  // Without the lock: the answer calls a completion, and a stop wakes threads.
  run_waits(run) ? answer_cancelled(*run) : static_cast<void>(run->stop.request_stop());
  return true;
}

void RunTable::cancel_waiting() {
  std::vector<SandboxRunPtr> gone;
  {
    MutexLock lock(mutex_);
    const auto waiting = std::ranges::stable_partition(runs_, [](const SandboxRunPtr& run) { return !run_waits(run); });
    gone.assign(waiting.begin(), waiting.end());
    runs_.erase(waiting.begin(), waiting.end());
  }
  for (const SandboxRunPtr& run : gone) answer_cancelled(*run);
}

std::vector<SandboxRunPtr> RunTable::started() const {
  MutexLock lock(mutex_);
  std::vector<SandboxRunPtr> all;
  std::ranges::copy_if(runs_, std::back_inserter(all), [](const SandboxRunPtr& run) { return !run_waits(run); });
  return all;
}

std::size_t RunTable::waiting() const {
  MutexLock lock(mutex_);
  return waiting_now();
}

Clock::TimePoint RunTable::last_asked() const {
  MutexLock lock(mutex_);
  return last_asked_;
}

std::size_t RunTable::waiting_now() const { return static_cast<std::size_t>(std::ranges::count_if(runs_, run_waits)); }

}  // namespace petri
