// The charts of a population's page.
#pragma once

#include <string>

#include "report/population/layers.h"

namespace petri {

// An <svg> with its legend: best, median and quarters of the scores of each layer. Text where no score is finite.
std::string fitness_chart(const Layers& layers);

// The lineage as a layered graph: a column for each layer that is drawn, an edge from each parent to its child, the
// line of the best above all others. Radio buttons zoom it, without a script.
std::string lineage_graph(const Drawing& drawing, bool by_depth);

// The table of the best.
std::string population_table(const std::vector<Individual>& best);

}  // namespace petri
