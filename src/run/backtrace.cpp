#include "run/backtrace.h"

#include "base/escape.h"
#include "engine/linked_code.h"

namespace petri {
namespace {

constexpr std::size_t kNameBytesMax = 200;

}  // namespace

std::vector<Frame> name_frames(const Artifact& artifact, std::span<const TracePoint> trace) {
  std::vector<Frame> frames;
  frames.reserve(trace.size());
  for (const TracePoint& point : trace) {
    const Artifact& of = point.member == nullptr ? artifact : *point.member->artifact;
    std::string name = of.function_name(point.function);
    if (point.member != nullptr) name = point.member->name + "." + name;
    frames.push_back({.function = point.function, .offset = point.offset, .name = escape_text(name, kNameBytesMax)});
  }
  return frames;
}

}  // namespace petri
