// An event as one line of JSON.
#pragma once

#include <string>

#include "petri/events.h"

namespace petri {

// One object without a line end, whatever the texts contain: {"event", "sequence", "time", "sandbox", "process",
// "correlation", "details"}. The time is UTC as RFC 3339 has it, cut to microseconds; "process" is left out where there
// is none. A number that JSON has no word for is a text: "nan", "inf", "-inf".
std::string to_json(const Event& event);

}  // namespace petri
