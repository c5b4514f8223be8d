// Checks if the options of a runtime can be met.
#pragma once

#include "base/complaints.h"
#include "petri/runtime.h"

namespace petri {

// Adds a complaint for each fault of the limits, the quarantine, the breaker and the defaults.
void check_options(const RuntimeOptions& options, Complaints& complaints);

}  // namespace petri
