// The total order of individuals by fitness, as petri/population.h describes it.
#pragma once

#include "petri/population.h"

namespace petri {

// Negative zero as positive, so that equal scores are kept as equal ones.
double ordered_score(double score);

// True if the first ranks before the second; false for an individual and itself.
bool ranks_before(const Individual& first, const Individual& second);

}  // namespace petri
