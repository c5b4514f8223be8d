// For tests of what carries events: nothing is added to what publish() is given.
#pragma once

#include "petri/events.h"

namespace petri {

inline constexpr auto kBareEvent = [](Event&) {};

}  // namespace petri
