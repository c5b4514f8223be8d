// The lines of a file of events: to_json() of petri/event_sinks.h, and one that is no event.
#pragma once

#include <string>

#include "petri/event_sinks.h"

namespace petri {

// Reports that this many events are missing here, with the fields of an event; the name is "events.lost". Sequence and
// time are those of the event before it.
std::string lost_json(std::uint64_t count, std::uint64_t sequence, WallTime time);
std::string lost_otlp_json(std::uint64_t count, std::uint64_t sequence, WallTime time);

}  // namespace petri
