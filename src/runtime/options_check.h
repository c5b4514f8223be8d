// Whether the options of a runtime can be met.
#pragma once

#include "base/complaints.h"
#include "petri/runtime.h"

namespace petri {

// Everything that is wrong with the limits, the quarantine, the breaker and the defaults.
void check_options(const RuntimeOptions& options, Complaints& complaints);

}  // namespace petri
