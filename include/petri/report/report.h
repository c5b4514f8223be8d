// The report: one HTML page that shows a records file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// The direction in which scores are good. The squared error against `targets` is best when smallest; of a host's own
// scores only the host knows.
enum class BestScore : std::uint8_t { smallest, largest };
std::string_view name_of(BestScore best);
std::optional<BestScore> best_score_named(std::string_view name);

// The most rows that the table of the best can have.
constexpr std::size_t kReportTopMax = 1'000;

// The contents of a page.
struct ReportOptions {
  BestScore best = BestScore::smallest;
  std::size_t top = 20;  // rows in the table of the best, from 1 to kReportTopMax
  std::string title;     // empty: the name of the records file
};

// The state of the file as its first and final line show it. incomplete: there is no final line. changed: one of them
// does not fit the rest.
enum class RecordsState : std::uint8_t { whole, incomplete, changed };
std::string_view name_of(RecordsState state);

// Facts about a page. Nothing of it is verified.
struct ReportFacts {
  std::size_t records = 0;
  std::size_t scored = 0;               // records with a score that is a number
  std::optional<std::size_t> best_row;  // of the first record with the best score
  std::optional<double> best_score;
  std::optional<std::string> best_doubt;  // why that record is not to be believed as it stands: it has no receipt, say
  std::size_t doubtful = 0;               // records of which that can be said
  RecordsState state = RecordsState::incomplete;
  std::size_t page_bytes = 0;
  // Why the file could not be read to its end: a line is cut off, say. The page is made from the records before it and
  // says so.
  std::optional<Error> read_error;
};

// A page path of "-" is standard output. Reads the records once forwards, and once backwards for the lineage of the
// best, in memory that does not grow with their number; writes the page as a whole or not at all. An Error, and no
// page, when the file cannot be opened, does not begin like a records file, has no whole record, or when the page
// cannot be written or would replace the records.
Result<ReportFacts> write_report(const std::string& records_path, const std::string& page_path,
                                 const ReportOptions& options = {});

}  // namespace petri
