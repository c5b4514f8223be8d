// The line of ancestors of the best, as a list.
#pragma once

#include <string>

#include "report/lineage.h"

namespace petri {

// The places in `lineage.line` that are shown: all of a short line; of a long one those whose score is not their
// parent's, and of these the first and the last when they are still too many. The candidate and its oldest ancestor are
// always among them.
std::vector<std::size_t> steps_to_show(const Lineage& lineage, std::size_t steps_max);

// The best first. Text when nothing is known of its parents.
std::string lineage_list(const Lineage& lineage);

}  // namespace petri
