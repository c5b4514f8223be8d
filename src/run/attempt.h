// One pass through a run: instantiate, start, call, and what came of it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/instance/instance.h"
#include "engine/loadable_artifact.h"
#include "host/files/folder.h"
#include "host/host_context.h"
#include "petri/run.h"
#include "run/run_in.h"
#include "run/run_spec_check.h"

namespace petri {

// Context that all passes of a run share. Everything is borrowed.
struct RunContext {
  const LoadableArtifact& artifact;
  const RunSpec& spec;
  RunTarget target;
  std::shared_ptr<Folder> folder;
  const Clock& clock;
  MemoryAccount* account = nullptr;
  const std::atomic<Permissions>* granted = nullptr;
  const EndingLimits* ending_limits = nullptr;
  ThreadPool* stacks = nullptr;
  RunPort* turns = nullptr;
  const std::atomic<std::uint32_t>& interrupt;
};

struct AttemptResult {
  Outcome outcome;      // without a backtrace the tier does not keep
  bool waited = false;  // for real time to pass
};

enum class Callbacks : std::uint8_t { called, silent };

struct AttemptOptions {
  Callbacks callbacks = Callbacks::called;  // `silent` keeps those of the spec from being called
  Clock::Duration time_max;
};

// Runs the code once.
Result<AttemptResult> attempt(const RunContext& run, const Code& code, const AttemptOptions& options);

}  // namespace petri
