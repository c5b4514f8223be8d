// The chart of scores over rows.
#pragma once

#include <string>

#include "report/lineage.h"
#include "report/records_summary.h"

namespace petri {

// An <svg> with its legend: some of all scores as a cloud, the best so far as steps, and the line of ancestors that
// leads to the best. As wide as what it stands in. Text when there is nothing to draw.
std::string curve_chart(const RecordsSummary& summary, const Lineage& lineage);

}  // namespace petri
