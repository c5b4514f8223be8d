// The table of the best candidates.
#pragma once

#include <string>

#include "report/best_rows.h"

namespace petri {

// Columns nobody in it has anything in (names, generations, mutations) are left out. Text when there is no row.
std::string best_table(const std::vector<BestRow>& rows);

}  // namespace petri
