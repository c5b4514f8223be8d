// Trace points with the names of their functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/instance/instance.h"
#include "petri/artifact.h"
#include "petri/outcome.h"

namespace petri {

// "divide at byte 35, called by price at byte 61"; the innermost few.
std::string backtrace_words(std::span<const Frame> frames);

std::vector<Frame> name_frames(const Artifact& artifact, std::span<const TracePoint> trace);

}  // namespace petri
