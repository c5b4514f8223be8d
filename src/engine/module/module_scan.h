// The crate's findings as C++ has them.
#pragma once

#include <cstdint>

#include "engine/loadable_artifact.h"
#include "petri/scan.h"
#include "petri_engine.h"

namespace petri {

// `artifact` is what `handle` describes; functions without a name of their own are called by its exports.
Result<ScanReport> scan_module(const petri_artifact& handle, const LoadableArtifact& artifact,
                               std::uint32_t findings_max);

}  // namespace petri
