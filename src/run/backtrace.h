// Trace points with the names of their functions.
#pragma once

#include <span>
#include <vector>

#include "engine/instance.h"
#include "petri/artifact.h"
#include "petri/outcome.h"

namespace petri {

std::vector<Frame> name_frames(const Artifact& artifact, std::span<const TracePoint> trace);

}  // namespace petri
