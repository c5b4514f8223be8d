#include "run/outcome_of.h"

#include "base/assert.h"

namespace petri {
namespace {

Verdict verdict_of_end(const End& end) {
  switch (end.kind) {
    case EndKind::returned: return {.kind = OutcomeKind::ok, .returned = true};
    case EndKind::trapped: return {.kind = OutcomeKind::trapped, .trap = static_cast<TrapCode>(end.code)};
    case EndKind::out_of_fuel: return {.kind = OutcomeKind::out_of_fuel, .cause = "fuel_max"};
    case EndKind::deadline: return {.kind = OutcomeKind::deadline, .cause = "execution_time_max", .repeatable = false};
    case EndKind::memory_limit: return {.kind = OutcomeKind::memory_limit, .cause = "memory_bytes_max"};
    case EndKind::stack_overflow: return {.kind = OutcomeKind::stack_overflow, .cause = "call_depth_max"};
    case EndKind::exited: return {.kind = OutcomeKind::exited, .exit_code = end.code};
    case EndKind::cancelled: return {.kind = OutcomeKind::cancelled, .repeatable = false};
    case EndKind::output_limit: return {.kind = OutcomeKind::output_limit, .cause = "output_bytes_max"};
    case EndKind::refused: break;  // an Error, never an Outcome
  }
  PETRI_UNREACHABLE();
}

bool gives_way_to_output_limit(OutcomeKind kind) {
  return kind == OutcomeKind::ok || kind == OutcomeKind::exited || kind == OutcomeKind::output_limit;
}

}  // namespace

Verdict verdict_of(const EndedGuest& guest) {
  Verdict verdict = verdict_of_end(guest.end);
  if (guest.output_bytes_cut == 0 || !gives_way_to_output_limit(verdict.kind)) return verdict;
  verdict.kind = OutcomeKind::output_limit;
  verdict.cause = guest.output_cut_by_memory ? "memory_bytes_max" : "output_bytes_max";
  return verdict;
}

}  // namespace petri
