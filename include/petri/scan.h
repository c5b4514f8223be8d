// What a module would do, read from its wasm without running any of it.
//
// It looks at imports, demands, sections and the flow of control. What functions are called and what data holds never
// matters; only names that something acts on do: imports, hooks, custom sections. Bytes become an Artifact first, so
// that what the gate refuses is refused before, by the same error. A clean report is no proof of anything; limits are
// what holds a guest.
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
