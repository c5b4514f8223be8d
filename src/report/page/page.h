// The whole page, and the file it goes to.
#pragma once

#include <string>
#include <string_view>

#include "petri/result.h"
#include "report/lineage.h"
#include "report/records_summary.h"

namespace petri {

// Self-contained HTML: no script, nothing fetched. `title` is the records file as people know it.
std::string report_page(const RecordsSummary& summary, const Lineage& lineage, const std::string& title);

// io_error when the page could not stand there: its folder is missing, it is a folder or device itself. With
// validation_failed it is the same file as the records. Looks only.
Result<void> check_page_path(const std::string& page_path, const std::string& records_path);

// Writes the text beside the place and moves it there: a reader sees either the old file or the new one, complete. A
// link is followed. io_error.
Result<void> write_page(const std::string& page_path, std::string_view text);

}  // namespace petri
