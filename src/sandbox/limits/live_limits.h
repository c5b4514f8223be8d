// Limits and permissions of a sandbox that runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/files/folder.h"
#include "petri/sandbox.h"
#include "process/process.h"
#include "sandbox/calls/run_table.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/standing.h"
#include "sandbox/timers/timers.h"
#include "sandbox/versions/module_table.h"

namespace petri {

// Use by a sandbox of what cannot be taken from it without ending something.
struct Occupied {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processes = 0;
  std::vector<std::pair<std::string, std::uint64_t>> memory_by_process;
};
// validation_failed, with a detail for each limit that is lowered below what is in use.
Result<void> check_in_use(const SandboxLimits& before, const SandboxLimits& after, const Occupied& used);

// Changes hold from the moment they are made, for what runs as well. Any thread, with no lock of the sandbox held. It
// has no state of its own, and is made where it is asked for.
class LiveLimits {
 public:
  // All of it outlives the changes; timers keep the owner alive no longer than it lives by itself.
  struct Parts {
    ProcessOwner& owner;
    Timers& timers;
    Journal& journal;
    Standing& standing;
    const ProcessTable& processes;
    const RunTable& runs;
    ModuleTable& modules;
    std::shared_ptr<Folder> folder;     // nullptr: the sandbox was granted none
    std::atomic<Permissions>& granted;  // as they are now
    const ProfileSpec& profile;
  };
  explicit LiveLimits(Parts parts) : parts_(std::move(parts)) {}

  // As Sandbox has them (petri/sandbox.h): all of it, or nothing and an error. What is in use already is never taken
  // away; a lower execution_time_max ends work that has had more, counted from when that started.
  Result<void> update_limits(const LimitChanges& changes);
  Result<void> update_permissions(Permissions permissions);

 private:
  Occupied occupied() const;
  // Work that is under way has the new time from when it started.
  void shorten_work(std::chrono::nanoseconds time_max);
  void end_late(const ProcessPtr& process, std::chrono::nanoseconds time_max);
  void end_late(const SandboxRunPtr& run, std::chrono::nanoseconds time_max);

  const Parts parts_;
};

}  // namespace petri
