// Instances that nobody can reach yet: created beside a process to take its place, or to see whether code starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "host/guest/kill_flag.h"
#include "petri/outcome.h"
#include "process/instance/hook_port.h"
#include "process/instance/live_instance.h"

namespace petri {

class InstanceServices;

// Work that runs here is charged to the account of the sandbox, takes no turns, and has no effect outside (HookPort).
// One thread at a time; another may raise the flag, which ends what runs. Services and flag outlive it and all it
// creates.
class Standby {
 public:
  Standby(InstanceServices& services, std::string_view name, KillFlag& flag)
      : services_(services), name_(name), flag_(flag) {}

  // Nothing of the guest has run. The port outlives all that runs before the instance is live.
  LiveInstance create(ModuleCodePtr code, HookPort& port) {
    flag_.clear();
    return created(std::move(code), port);
  }
  // A copy of an instance that is movable and that nobody has entered.
  Result<LiveInstance> copy(const LiveInstance& of, HookPort& port);
  // Runs its start functions.
  Result<Outcome> begin(LiveInstance& live, Clock::TimePoint deadline, Starts starts = Starts::all);
  // An export of type () -> i32, which answers 0 when all is well.
  struct Hook {
    std::uint32_t export_number = 0;
    std::optional<std::size_t> member;   // of a group; none: the module itself
    std::uint64_t output_bytes_max = 0;  // what it may write, whatever the limit of that name says; 0: the limit
  };
  Result<Outcome> call(LiveInstance& live, const Hook& hook, std::string_view input, Clock::TimePoint deadline);

 private:
  LiveInstance created(ModuleCodePtr code, HookPort& port);
  Allowance allowance(Clock::TimePoint started, Clock::TimePoint deadline) const;
  Result<Outcome> finish(LiveInstance& live, Clock::TimePoint started, const Result<End>& end);

  InstanceServices& services_;
  const std::string name_;
  KillFlag& flag_;
};

}  // namespace petri
