// Checks the options of a breaker or of the quarantine, wherever they come from.
#pragma once

#include <string_view>

#include "base/complaints.h"
#include "petri/policy.h"

namespace petri {

// `where` is the path of the options, such as "breaker".
void check_breaker(const BreakerOptions& options, std::string_view where, Complaints& complaints);
void check_quarantine(const QuarantineOptions& options, std::string_view where, Complaints& complaints);

}  // namespace petri
