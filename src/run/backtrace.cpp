#include "run/backtrace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "engine/instance/linked_code.h"
#include "run/source_lines.h"

namespace petri {
namespace {

constexpr std::size_t kNameBytesMax = 200;

constexpr std::size_t kFramesInWords = 4;

// Each module of the trace has a table of its own.
void add_lines(std::vector<Frame>& frames, const Artifact& artifact, std::span<const TracePoint> trace) {
  const auto artifact_of = [&](std::size_t index) {
    return trace[index].member == nullptr ? &artifact : trace[index].member->artifact.get();
  };
  for (std::size_t start = 0; start < frames.size();) {
    std::vector<std::uint64_t> offsets;
    std::size_t end = start;
    for (; end < frames.size() && artifact_of(end) == artifact_of(start); ++end) offsets.push_back(frames[end].offset);
    const auto lines = source_lines_at(artifact_of(start)->bytes(), offsets);
    for (std::size_t index = start; index < end; ++index) {
      if (!lines[index - start]) continue;
      frames[index].file = lines[index - start]->file;
      frames[index].line = lines[index - start]->line;
    }
    start = end;
  }
}

}  // namespace

std::string backtrace_words(std::span<const Frame> frames) {
  std::string words;
  for (const Frame& frame : frames.first(std::min(frames.size(), kFramesInWords))) {
    const std::string name = frame.name.empty() ? fmt::format("function {}", frame.function) : frame.name;
    words += fmt::format("{}{} at ", words.empty() ? "" : ", called by ", name);
    words += frame.line > 0 ? fmt::format("{}:{}", frame.file, frame.line) : fmt::format("byte {}", frame.offset);
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
  add_lines(frames, artifact, trace);
  return frames;
}

}  // namespace petri
