#include "run/backtrace.h"

#include "base/escape.h"

namespace petri {
namespace {

constexpr std::size_t kNameBytesMax = 200;

}  // namespace

std::vector<Frame> name_frames(const Artifact& artifact, std::span<const TracePoint> trace) {
  std::vector<Frame> frames;
  frames.reserve(trace.size());
  for (const TracePoint& point : trace) {
    frames.push_back({.function = point.function,
                      .offset = point.offset,
                      .name = escape_text(artifact.function_name(point.function), kNameBytesMax)});
  }
  return frames;
}

}  // namespace petri
