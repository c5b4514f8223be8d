// Budgets of a guest and the ends of its calls: the words in which the engines answer.
#pragma once

#include <cstdint>
#include <limits>

namespace petri {

enum class EndKind : std::uint32_t {
  returned,
  trapped,
  out_of_fuel,
  deadline,
  memory_limit,
  stack_overflow,
  exited,
  cancelled,
  refused,       // a host function ended it for a reason the host keeps
  output_limit,  // of those reasons, as the host reports it; no engine does
};

struct End {
  EndKind kind = EndKind::returned;
  std::int32_t code = 0;           // of `trapped` a TrapCode, of `exited` the exit code
  std::uint64_t fuel_used = 0;     // by this call
  std::uint64_t memory_bytes = 0;  // memory and tables, as petri counts them; neither ever shrinks
  bool operator==(const End&) const = default;
};

struct Budget {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kFuelUnbounded = std::uint64_t{1} << 62;  // the largest fuel_max there is

  std::uint64_t fuel = 0;
  std::uint64_t deadline_ns = kNever;  // of the monotonic clock
  std::uint64_t turn_ns = kNever;      // when the first turn ends
  std::uint32_t call_depth = 1'024;
};

// An instance can be called again after these.
constexpr bool leaves_instance_whole(EndKind kind) { return kind == EndKind::returned || kind == EndKind::exited; }

}  // namespace petri
