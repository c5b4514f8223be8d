// The population of a file that a command means.
#pragma once

#include <string>

#include "petri/population.h"

namespace petri::cli {

// The population of this name, or with an empty name the only one there is. One that is not there is not_found unless
// it may be new; then, without a name, it is "main". Of several without a name it is validation_failed.
Result<Population> choose_population(const Populations& populations, const std::string& file, const std::string& name,
                                     bool may_be_new = false);

}  // namespace petri::cli
