// What every set of fields has to keep to.
#pragma once

#include <span>

#include "petri/state.h"
#include "state/state_problems.h"

namespace petri {

// Fields in the order of their names: how many there are, their names, no name twice, no field without elements.
void check_state_fields(std::span<const StateField> fields, StateProblems& problems);

}  // namespace petri
