// How a guest's end becomes an Outcome.
#pragma once

#include "engine/end.h"
#include "petri/outcome.h"

namespace petri {

// Facts that the rule needs to know beside the end itself.
struct EndedGuest {
  End end;
  std::uint64_t output_bytes_cut = 0;
  bool output_cut_by_memory = false;  // memory_bytes_max, not output_bytes_max, left no room
};

struct Verdict {
  OutcomeKind kind = OutcomeKind::ok;
  std::string_view cause;  // the limit that was met
  std::optional<TrapCode> trap;
  std::optional<std::int32_t> exit_code;
  bool returned = false;
  bool repeatable = true;
};

// The kind of an outcome when several things are true of it; the page of outcomes says the same. The trap that ended
// the guest, or the limit that was met at that moment, gives the name. A cut answer makes an end of the guest's own
// making, a return or an exit, an `output_limit`; where a cut ends the guest at once it is the end itself.
Verdict verdict_of(const EndedGuest& guest);

}  // namespace petri
