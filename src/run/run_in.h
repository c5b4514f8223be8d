// A run inside something larger: its time and its memory are counted there too.
#pragma once

#include <functional>

#include "base/clock.h"
#include "engine/instance.h"
#include "engine/loadable_artifact.h"
#include "host/host_context.h"
#include "petri/run.h"

namespace petri {

struct RunSurroundings {
  const Clock& clock;
  MemoryAccount* account = nullptr;  // outlives the run
  // What it has of its permissions while it runs; none: all. The same.
  const std::atomic<Permissions>* granted = nullptr;
  const EndingLimits* ending_limits = nullptr;  // the same
  std::shared_ptr<Folder> folder;               // that others have open, too; none: the one the spec names
  // Loads the module with those it imports from; none: it is by itself.
  std::function<Result<CodePtr>(Tier, const LoadOptions&)> load;
};

// As petri::run.
Result<Outcome> run_in(const RunSurroundings& around, const ArtifactPtr& artifact, const HostFunctions& host,
                       const RunSpec& spec, const std::stop_token& stop);

}  // namespace petri
