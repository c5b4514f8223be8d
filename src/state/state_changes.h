// The kinds of change that a described state can see, each with an example.
#pragma once

#include <string_view>
#include <vector>

#include "petri/state.h"

namespace petri {

// A kind of change with an example of it; docs/reference/state-plan.md shows what StatePlan decides for each.
struct StateChange {
  std::string_view what;
  std::vector<StateField> from;
  std::vector<StateField> to;
  StateHints hints;
};
const std::vector<StateChange>& state_changes();

}  // namespace petri
