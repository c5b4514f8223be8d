#include "cli/outcome_text.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>

#include "base/assert.h"
#include "base/text/units.h"

namespace petri::cli {
namespace {

std::string_view words_for(TrapCode code) {
  switch (code) {
    case TrapCode::unreachable: return "it reached an unreachable instruction";
    case TrapCode::integer_divide_by_zero: return "it divided an integer by zero";
    case TrapCode::integer_overflow: return "the result of an integer operation does not fit";
    case TrapCode::bad_conversion_to_integer: return "it converted a number to an integer that cannot hold it";
    case TrapCode::memory_out_of_bounds: return "it reached outside its memory";
    case TrapCode::table_out_of_bounds: return "it reached outside a table";
    case TrapCode::indirect_call_to_null: return "it called an empty table entry";
    case TrapCode::bad_signature: return "it called a table entry of another type";
  }
  PETRI_UNREACHABLE();
}

std::string words_for(const Outcome& outcome, const Limits& limits) {
  switch (outcome.kind) {
    case OutcomeKind::ok: return "the guest returned";
    case OutcomeKind::trapped:
      return outcome.trap ? fmt::format("{} ({})", words_for(*outcome.trap), name_of(*outcome.trap))
                          : "the guest trapped";
    case OutcomeKind::out_of_fuel:
      return fmt::format("the guest used all of its fuel, fuel_max = {}", format_count(limits.fuel_max));
    case OutcomeKind::deadline:
      return fmt::format("the guest ran longer than execution_time_max = {}",
                         format_duration(limits.execution_time_max));
    case OutcomeKind::memory_limit:
      return fmt::format("the guest needs more than memory_bytes_max = {}", format_bytes(limits.memory_bytes_max));
    case OutcomeKind::stack_overflow:
      return fmt::format("the guest's calls nest deeper than call_depth_max = {}", format_count(limits.call_depth_max));
    case OutcomeKind::cpu_limit: return "the guest kept the processor longer than cpu_percent_max allows";
    case OutcomeKind::output_limit:
      return fmt::format("the guest wrote more than output_bytes_max = {}; {} cut off",
                         format_bytes(limits.output_bytes_max), format_bytes(outcome.output_bytes_cut));
    case OutcomeKind::exited: return fmt::format("the guest ended with code {}", outcome.exit_code.value_or(0));
    case OutcomeKind::cancelled: return "the guest was stopped from outside";
  }
  PETRI_UNREACHABLE();
}

std::string_view words_for(Place place) {
  switch (place) {
    case Place::instantiate: return " while it was instantiated";
    case Place::start: return " in its start function";
    case Place::initialize: return " in _initialize";
    case Place::call: return "";
  }
  PETRI_UNREACHABLE();
}

bool is_same(const Frame& a, const Frame& b) {
  return std::tie(a.function, a.offset, a.name) == std::tie(b.function, b.offset, b.name);
}

std::string frame_text(const Frame& frame) {
  const std::string name = frame.name.empty() ? "" : frame.name + " ";
  const std::string line = frame.line > 0 ? fmt::format("{}:{} ", frame.file, frame.line) : std::string();
  return fmt::format("  at {}{}(function {}, byte {:#x})", name, line, frame.function, frame.offset);
}

}  // namespace

std::string reason_text(const Outcome& outcome, const Limits& limits) {
  const bool needs_no_words =
      outcome.kind == OutcomeKind::ok || (outcome.kind == OutcomeKind::exited && outcome.exit_code == 0);
  if (needs_no_words) return "";
  return fmt::format("{}: {}{}", name_of(outcome.kind), words_for(outcome, limits), words_for(outcome.place));
}

std::string backtrace_text(const Outcome& outcome) {
  std::string text;
  const std::vector<Frame>& frames = outcome.backtrace;
  for (std::size_t first = 0; first < frames.size();) {
    std::size_t next = first + 1;
    while (next < frames.size() && is_same(frames[next], frames[first])) ++next;
    text += frame_text(frames[first]) + (next - first > 1 ? fmt::format(", {} times\n", next - first) : "\n");
    first = next;
  }
  return text;
}

std::string summary_text(const Outcome& outcome) {
  return fmt::format("{}: {} fuel, {} peak memory, {}, {}", name_of(outcome.kind), format_count(outcome.fuel_used),
                     format_bytes(outcome.memory_peak_bytes), format_duration(outcome.wall_time),
                     name_of(outcome.tier));
}

}  // namespace petri::cli
