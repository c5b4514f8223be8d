// The page of the hostile suite: docs/hostile.md.
#pragma once

#include <string>
#include <vector>

#include "hostile/hostile_totals.h"

namespace petri {

struct HostileMachine {
  std::string processor;
  unsigned cores = 0;
};

std::string hostile_page(const HostileTotals& totals, const HostileMachine& machine);
// One line: what was run and what was found.
std::string closing_line(const HostileTotals& totals);

}  // namespace petri
