// The bars of how candidates ended.
#pragma once

#include <string>

#include "report/outcome_counts.h"

namespace petri {

// A table with a bar a row, as long as its share of all rows.
std::string outcome_chart(const OutcomeCounts& outcomes);

}  // namespace petri
