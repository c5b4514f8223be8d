// The charts of the page: scores over rows, fuel that candidates used, and how they ended.
#pragma once

#include <string>

#include "report/charts/fuel_histogram.h"
#include "report/charts/outcome_counts.h"
#include "report/charts/pareto_front.h"
#include "report/lineage.h"
#include "report/records_summary.h"

namespace petri {

// An <svg> with its legend: some of all scores as a cloud, the best so far as steps, and the line of ancestors that
// leads to the best. As wide as what it stands in. Text when there is nothing to draw.
std::string curve_chart(const RecordsSummary& summary, const Lineage& lineage);

// An <svg> of bars on a logarithmic axis, with its legend. Text when no candidate used any.
std::string fuel_chart(const FuelHistogram& fuel);

// An <svg> of some scores over fuel, with the Pareto front and its legend. Text when there is nothing to draw.
std::string score_fuel_chart(const ParetoFront& points, BestScore best);

// A table with a bar a row, as long as its share of all rows.
std::string outcome_chart(const OutcomeCounts& outcomes);

}  // namespace petri
