// The services that the sandboxes of a runtime share.
#pragma once

#include <cstddef>
#include <memory>

#include "audit/audit_log.h"
#include "petri/host_functions.h"
#include "process/history/retrace_budget.h"
#include "process/turns/guest_threads.h"
#include "sandbox/code/artifact_store.h"
#include "sandbox/code/code_store.h"
#include "sandbox/code/failed_sources.h"
#include "sandbox/code/source_compiler.h"
#include "sandbox/journal/journal.h"
#include "sandbox/timers/timers.h"
#include "sandbox/under_way.h"
#include "security/block_list.h"
#include "security/quarantine.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics/metrics.h"

namespace petri {

// All of the runtime; outlives its sandboxes. A handle may outlive the runtime: its sandbox is destroyed by then, and
// touches none of this (Standing::must_exist).
struct SandboxServices {
  Workers& workers;
  GuestThreads& guest_threads;
  Timers& timers;
  const Clock& clock;
  EventBus& events;
  ArtifactStore& artifacts;
  CodeStore& code;
  const HostFunctions& host;
  AuditLog& audit;
  Quarantine& quarantine;
  const BlockList& blocked;
  Metrics& metrics;
  JournalSinks journal{events, audit, metrics, timers};
  MemoryBudget* budget = nullptr;               // nullptr if there is no bound on all sandboxes together
  std::shared_ptr<DescriptorPool> descriptors;  // also nullptr then; a folder may outlive the runtime
  FailedSources& failed_sources;
  RetraceBudget& retrace_budget;
  std::shared_ptr<UnderWay> under_way;
  std::size_t samples_max = 300;
  const SourceCompiler* compiler = nullptr;  // none: only wat and wasm
};

using SandboxServicesPtr = std::shared_ptr<const SandboxServices>;

}  // namespace petri
