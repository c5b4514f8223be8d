// A run inside something larger: its time and its memory are counted there too.
#pragma once

#include <functional>

#include "base/clock.h"
#include "engine/instance/instance.h"
#include "engine/loadable_artifact.h"
#include "host/host_context.h"
#include "host/process_port.h"
#include "petri/run.h"

namespace petri {

// The turns of a run beside others.
class RunPort : public TurnPort {
 public:
  // A pass starts, of which there may be two: waits until it may, and answers when its first turn ends.
  virtual std::uint64_t begin(std::uint64_t deadline_ns, const std::atomic<std::uint32_t>& kill) = 0;
  // It has used so much fuel. Of a pass that only explains a trap none: that is not the guest's.
  virtual void end(std::uint64_t fuel_used) = 0;
};

struct RunSurroundings {
  const Clock& clock;
  MemoryAccount* account = nullptr;  // outlives the run
  // The permissions that the guest has while it runs; nullptr: all. Must outlive the run.
  const std::atomic<Permissions>* granted = nullptr;
  const EndingLimits* ending_limits = nullptr;  // the same
  ThreadPool* stacks = nullptr;                 // as HostHooks::stacks; outlives the run
  std::shared_ptr<Folder> folder;               // that others have open, too; nullptr: the one the spec names
  RunPort* turns = nullptr;                     // nullptr: it has the thread to itself
  // Loads the module with those it imports from; none: it is by itself.
  std::function<Result<CodePtr>(Tier, const LoadOptions&)> load;
};

// As petri::run.
Result<Outcome> run_in(const RunSurroundings& around, const ArtifactPtr& artifact, const HostFunctions& host,
                       const RunSpec& spec, const std::stop_token& stop);

}  // namespace petri
