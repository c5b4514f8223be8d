// For tests of the event bus: publishes an event without details.
#pragma once

#include "petri/events.h"

namespace petri {

inline constexpr auto kBareEvent = [](Event&) {};

}  // namespace petri
