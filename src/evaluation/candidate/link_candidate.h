// The functions that a candidate may import: those that give the same answer every time.
#pragma once

#include <cstdint>

#include "engine/loadable_artifact.h"
#include "host/link.h"
#include "petri/host_functions.h"

namespace petri {

// The permissions of candidates: all of these are virtual or seeded.
constexpr Permissions kCandidatePermissions{Permission::log, Permission::clock, Permission::random};

// link_error, naming the import, also when the function is there but not deterministic. Of a harness, another module
// may be the candidate.
Result<Linked> link_candidate(const LoadableArtifact& artifact, const HostFunctions& host,
                              Neighbours neighbours = Neighbours::none);

}  // namespace petri
