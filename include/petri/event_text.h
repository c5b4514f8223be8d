// Events as lines, for files and logs. Whatever a guest put into a text is escaped: a line stays one line, and harms no
// terminal.
#pragma once

#include <string>

#include "petri/events.h"

namespace petri {

// One object without a line end: {"event", "sequence", "time", "sandbox", "process", "correlation", "details"}. The
// time is UTC as RFC 3339 has it, cut to microseconds; "process" is left out where there is none. A number that JSON
// has no word for is a text: "nan", "inf", "-inf".
std::string to_json(const Event& event);

// For people: the event, whom it is about, its correlation, then its details as key=value. A text that is more than one
// plain word stands in quotes:
//   process.exited orders/worker #7 reason=abnormal outcome=trapped message="no such order"
std::string to_text(const Event& event);

// The severity of an event for a reader of a log.
enum class EventLevel : std::uint8_t { debug, info, warning, error };
std::string_view name_of(EventLevel level);
EventLevel level_of(EventKind kind);

}  // namespace petri
