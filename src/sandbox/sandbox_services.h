// What the sandboxes of a runtime share.
#pragma once

#include <cstddef>
#include <memory>

#include "audit/audit_log.h"
#include "petri/host_functions.h"
#include "process/guest_threads.h"
#include "process/retrace_budget.h"
#include "sandbox/artifact_store.h"
#include "sandbox/code_store.h"
#include "sandbox/failed_sources.h"
#include "sandbox/journal.h"
#include "sandbox/timers.h"
#include "sandbox/under_way.h"
#include "security/quarantine.h"
#include "telemetry/event_bus.h"
#include "telemetry/metrics.h"

namespace petri {

// All of the runtime; outlives its sandboxes.
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
  Metrics& metrics;
  JournalSinks journal{events, audit, metrics, timers};
  MemoryBudget* budget = nullptr;               // none: no bound
  std::shared_ptr<DescriptorPool> descriptors;  // the same; a folder may outlive the runtime
  FailedSources& failed_sources;
  RetraceBudget& retrace_budget;
  std::shared_ptr<UnderWay> under_way;
  std::size_t samples_max = 300;
};

using SandboxServicesPtr = std::shared_ptr<const SandboxServices>;

}  // namespace petri
