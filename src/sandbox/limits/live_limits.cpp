#include "sandbox/limits/live_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaints.h"
#include "process/turns/process_time.h"
#include "sandbox/spec/spec_check.h"

namespace petri {

Result<void> check_in_use(const SandboxLimits& before, const SandboxLimits& after, const Occupied& used) {
  Complaints complaints;
  if (after.memory_bytes_max < before.memory_bytes_max && used.memory_bytes > after.memory_bytes_max) {
    complaints.add_clause(
        "limits.memory_bytes_max",
        fmt::format("memory_bytes_max is {} but {} bytes are in use; stop processes or restart the sandbox first",
                    after.memory_bytes_max, used.memory_bytes));
  }
  if (after.processes_max < before.processes_max && used.processes > after.processes_max) {
    complaints.add_clause("limits.processes_max",
                          fmt::format("processes_max is {} but {} processes live; stop some of them first",
                                      after.processes_max, used.processes));
  }
  // A limit that follows memory_bytes_max was not asked for, and what that one refuses is said above.
  const bool lowered = after.process_memory_set && after.process_memory_bytes_max < before.process_memory_bytes_max;
  for (const auto& [process, bytes] : used.memory_by_process) {
    if (!lowered || bytes <= after.process_memory_bytes_max) continue;
    complaints.add_clause("limits.process_memory_bytes_max",
                          fmt::format("process_memory_bytes_max is {} but the process {} uses {} bytes; stop it first",
                                      after.process_memory_bytes_max, process, bytes));
  }
  return complaints.result();
}

// The host may hold a little for each sandbox that no limit takes away.
Occupied LiveLimits::occupied() const {
  const TreeAccount& account = parts_.owner.account();
  const std::uint64_t all = account.taken();
  Occupied used{.memory_bytes = std::max(account.memory_bytes(), all - std::min(all, MemoryAccount::kHostBytesFree)),
                .processes = account.processes()};
  for (const ProcessPtr& process : parts_.processes.all()) {
    used.memory_by_process.emplace_back(process->name(), process->memory_bytes());
  }
  return used;
}

Result<void> LiveLimits::update_limits(const LimitChanges& changes) {
  PETRI_TRY(parts_.standing.must_exist());
  TreeAccount& account = parts_.owner.account();
  const SandboxLimitsPtr before = account.limits();
  PETRI_TRY(const SandboxLimits limits, with_changes(*before, changes));
  PETRI_TRY(check_in_use(*before, limits, occupied()));
  account.set_limits(limits);
  // Something may have grown meanwhile: from here on nothing does.
  if (auto fits = check_in_use(*before, limits, occupied()); !fits) {
    account.set_limits(*before);
    return fits;
  }
  if (limits.execution_time_max < before->execution_time_max) shorten_work(limits.execution_time_max);
  parts_.owner.cpu_share().set_percent(limits.cpu_percent_max);
  if (parts_.folder != nullptr) parts_.folder->set_limits(limits);
  parts_.modules.prune(limits.versions_max);
  parts_.journal.limits_changed(changes);
  parts_.standing.note_update(parts_.owner.clock().wall_now());
  return {};
}

Result<void> LiveLimits::update_permissions(Permissions permissions) {
  PETRI_TRY(parts_.standing.must_exist());
  PETRI_TRY(check_permissions(parts_.profile, permissions));
  const Permissions before = parts_.granted.exchange(permissions);
  parts_.journal.permissions_changed(before, permissions);
  parts_.standing.note_update(parts_.owner.clock().wall_now());
  return {};
}

// ---- work that is under way -----------------------------------------------------------------------------------

void LiveLimits::shorten_work(std::chrono::nanoseconds time_max) {
  for (const ProcessPtr& process : parts_.processes.all()) end_late(process, time_max);
  for (const SandboxRunPtr& run : parts_.runs.started()) end_late(run, time_max);
}

void LiveLimits::end_late(const ProcessPtr& process, std::chrono::nanoseconds time_max) {
  const std::uint64_t started = process->work_started_ns();
  if (started == 0) return;
  parts_.timers.at(to_time(started) + time_max,
                   [owner = std::weak_ptr(parts_.owner.keep_alive()), weak = std::weak_ptr(process), started] {
                     const auto kept = owner.lock();
                     const ProcessPtr late = weak.lock();
                     if (kept != nullptr && late != nullptr) late->end_late(started);
                   });
}

void LiveLimits::end_late(const SandboxRunPtr& run, std::chrono::nanoseconds time_max) {
  parts_.timers.at(to_time(run->started_ns.load()) + time_max,
                   [owner = std::weak_ptr(parts_.owner.keep_alive()), weak = std::weak_ptr(run),
                    &workers = parts_.owner.workers(), client = parts_.owner.client()] {
                     const auto kept = owner.lock();
                     const SandboxRunPtr late = weak.lock();
                     if (kept == nullptr || late == nullptr) return;
                     late->late.store(true);
                     late->stop.request_stop();
                     workers.wake_ended(client);
                   });
}

}  // namespace petri
