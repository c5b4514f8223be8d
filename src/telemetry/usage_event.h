// What usage.sampled has.
#pragma once

#include "petri/events.h"
#include "petri/usage.h"

namespace petri {

void add_usage(Event& event, const Usage& usage);

}  // namespace petri
