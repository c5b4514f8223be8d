// A run inside something larger: its time and its memory are counted there too.
#pragma once

#include "base/clock.h"
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
};

// As petri::run.
Result<Outcome> run_in(const RunSurroundings& around, const ArtifactPtr& artifact, const HostFunctions& host,
                       const RunSpec& spec, const std::stop_token& stop);

}  // namespace petri
