// The scan: finds out from its wasm what a module would do, without running any of it.
//
// It looks at imports, demands, sections and the flow of control. The names of functions and the contents of data never
// matter; only names that something acts on do: imports, hooks, custom sections. Bytes become an Artifact first, so
// that the gate refuses them before, by the same error. A clean report is no proof of anything; a guest is held by its
// limits.
#pragma once

#include <cstdint>

#include "petri/artifact.h"
#include "petri/findings.h"
#include "petri/host_functions.h"

namespace petri {

struct ScanSpec {
  // The most severe are kept, the rest is counted. 0 is validation_failed: a report without findings says that all is
  // well.
  std::uint32_t findings_max = 1'000;
};

// Imports are judged by what `host` offers. Takes time linear in the module's bytes. Safe to call from any thread.
Result<ScanReport> scan(const Artifact& artifact, const HostFunctions& host = {}, const ScanSpec& spec = {});

}  // namespace petri
