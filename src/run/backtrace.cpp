#include "run/backtrace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "engine/instance/linked_code.h"

namespace petri {
namespace {

constexpr std::size_t kNameBytesMax = 200;

constexpr std::size_t kFramesInWords = 4;

}  // namespace

std::string backtrace_words(std::span<const Frame> frames) {
  std::string words;
  for (const Frame& frame : frames.first(std::min(frames.size(), kFramesInWords))) {
    const std::string name = frame.name.empty() ? fmt::format("function {}", frame.function) : frame.name;
    words += fmt::format("{}{} at byte {}", words.empty() ? "" : ", called by ", name, frame.offset);
  }
  return words;
}

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
