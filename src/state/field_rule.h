// The fate of one field of the old state, or of one the new state adds: the rules of the plan.
#pragma once

#include "petri/state.h"

namespace petri {

// Both fields: the old one is to become the new one, `renamed` when a hint says so.
StateStep carry_field(const StateField& from, const StateField& to, bool renamed, StatePolicy policy);
// Only the new version has it.
StateStep add_field(const StateField& to);
// Only the old version has it.
StateStep remove_field(const StateField& from, StatePolicy policy);

}  // namespace petri
