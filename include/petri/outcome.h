// The outcome of a guest that was entered: how it has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/tier.h"
#include "petri/value.h"

namespace petri {

// How a guest ended; docs/reference/outcomes.md says what each means.
enum class OutcomeKind : std::uint8_t {
  ok,
  trapped,
  out_of_fuel,
  deadline,
  memory_limit,
  stack_overflow,
  cpu_limit,
  output_limit,
  exited,
  cancelled,
};
std::string_view name_of(OutcomeKind kind);

// Why a guest trapped.
enum class TrapCode : std::uint8_t {
  unreachable,
  integer_divide_by_zero,
  integer_overflow,
  bad_conversion_to_integer,
  memory_out_of_bounds,
  table_out_of_bounds,
  indirect_call_to_null,
  bad_signature,
};
std::string_view name_of(TrapCode code);

// The SHA-256 of an artifact's bytes as they were sent.
using ArtifactId = Sha256;

// One function of a backtrace.
struct Frame {
  std::uint32_t function = 0;  // index in the module as sent
  std::uint64_t offset = 0;    // byte of the operator in the module as sent
  // The function's name from the name section or an export, escaped and cut; empty when the module has none. In a
  // module other than the one that was called it is "module.function", and the numbers above are that module's.
  std::string name;
  // The line of the source, where petri compiled the module; 0: unknown. The name is escaped.
  std::string file;
  std::uint32_t line = 0;
};

// The stage of an instance at which the guest ended.
enum class Place { instantiate, start, initialize, call };
std::string_view name_of(Place place);

// Counts of what host functions had to refuse, drop or cut while the guest continued.
struct HostCounts {
  std::uint64_t calls_refused = 0;  // answered with an error number or errno
  std::uint64_t log_lines_dropped = 0;
  std::uint64_t log_bytes_dropped = 0;     // of dropped lines and of lines that were cut
  std::uint64_t host_functions_threw = 0;  // functions and callbacks of the embedder
  bool operator==(const HostCounts&) const = default;
};

// How a guest ended, what it returned, and what it cost.
struct Outcome {
  OutcomeKind kind = OutcomeKind::ok;
  Place place = Place::call;
  std::optional<TrapCode> trap;           // when trapped
  std::optional<std::int32_t> exit_code;  // when exited
  std::string cause;                      // the limit that was met, by name; empty otherwise
  bool returned = false;                  // the function came to its end; with output_limit it may or may not have
  std::vector<Frame> backtrace;           // innermost first
  std::vector<Value> values;
  std::string output;  // bytes
  std::uint64_t output_bytes_cut = 0;
  HostCounts counts;
  std::uint64_t fuel_used = 0;
  std::uint64_t memory_peak_bytes = 0;
  std::chrono::nanoseconds wall_time{0};
  std::chrono::nanoseconds queue_time{0};
  ArtifactId artifact;
  std::uint64_t version = 0;  // of its module in the sandbox; 0: it is no version of one
  Tier tier = Tier::interpreted;
  std::optional<std::uint64_t> seed;
  // True if the same call gives the same result again. False when time ended it, and when it saw the real clock,
  // waited, used files, or called a function of the embedder that is not deterministic; in a live process now or
  // before, for it remembers.
  bool repeatable = true;

  // Prints to_text().
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome);
};
// The kind and what belongs to it: "ok: 5", "trapped (integer_divide_by_zero)", "exited (3)", "deadline
// (execution_time_max)".
std::string to_text(const Outcome& outcome);

}  // namespace petri
