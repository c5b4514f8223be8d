// The parts that a page is put together from.
#pragma once

#include <string>
#include <string_view>

#include "petri/records.h"
#include "report/best_rows.h"
#include "report/lineage.h"

namespace petri {

// The table of the best candidates. Columns nobody in it has anything in (names, generations, mutations) are left out.
// Text when there is no row.
std::string best_table(const std::vector<BestRow>& rows);

// The places in `lineage.line` that are shown: all of a short line; of a long one those whose score is not their
// parent's, and of these the first and the last when they are still too many. The candidate and its oldest ancestor are
// always among them.
std::vector<std::size_t> steps_to_show(const Lineage& lineage, std::size_t steps_max);

// True if something is known of the parents of the best.
bool has_parents(const Lineage& lineage);
// The line of ancestors of the best, the best first; only for one that has parents.
std::string lineage_list(const Lineage& lineage);

// The function that was evaluated, and under which limits.
std::string spec_list(const RecordsHeader& header);

// The head of a page, with its style and a policy that lets it fetch and run nothing.
std::string page_head(const std::string& title);

// A number with what it is, and a part of the page under a title; both are markup already.
std::string page_tile(std::string_view value, std::string_view what);
std::string page_section(std::string_view name, std::string_view title, std::string_view content);

// The style sheet: in light and in dark surroundings, on wide and on narrow windows.
std::string_view page_style();

}  // namespace petri
