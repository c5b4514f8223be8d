// The bounds of an individual, and of the names in a population.
#pragma once

#include <string_view>

#include "petri/population.h"

namespace petri {

// validation_failed for what is empty, too long, no UTF-8, or has control characters; `what` names it: "the id".
Result<void> check_population_text(std::string_view text, std::string_view what,
                                   std::size_t bytes_max = kIndividualIdBytesMax);
Result<void> check_fitness(const Fitness& fitness);
// One validation_failed with all that is wrong.
Result<void> check_individual(const Individual& individual);

}  // namespace petri
