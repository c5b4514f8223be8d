// The whole page.
#pragma once

#include <string>

#include "report/lineage.h"
#include "report/records_summary.h"

namespace petri {

// Self-contained HTML: no script, nothing fetched. `title` is the records file as people know it.
std::string report_page(const RecordsSummary& summary, const Lineage& lineage, const std::string& title);

}  // namespace petri
