// The summary of a records file that a report shows, gathered in one pass and in bounded memory.
#pragma once

#include <optional>
#include <string>

#include "petri/records.h"
#include "petri/report/report.h"
#include "report/best_rows.h"
#include "report/charts/fuel_histogram.h"
#include "report/charts/outcome_counts.h"
#include "report/charts/pareto_front.h"
#include "report/charts/score_curve.h"

namespace petri {

struct RecordsSummary {
  RecordsSummary(RecordsHeader first_line, const ReportOptions& options)
      : header(std::move(first_line)), curve(options.best), score_fuel(options.best), best(options.top, options.best) {}

  void add(const StoredRecord& stored);

  RecordsHeader header;
  std::size_t records = 0;
  std::size_t rows_end =
      0;  // one more than the last row's number; rows that were cancelled have a number and no record
  std::size_t repeated = 0;  // of an earlier row of the same batch
  std::size_t not_repeatable = 0;
  std::size_t doubtful = 0;  // doubt_about() has something to say
  std::uint64_t fuel_used = 0;
  std::optional<std::uint64_t> generation_first, generation_last;
  OutcomeCounts outcomes;
  FuelHistogram fuel;  // of candidates that were entered
  ScoreCurve curve;
  ParetoFront score_fuel;
  BestRows best;
  std::optional<Error> read_error;  // what ended the reading before the end of the file
  RecordsState state = RecordsState::incomplete;
  std::size_t cancelled_at_end = 0;

  std::size_t cancelled() const { return rows_end - records + cancelled_at_end; }
  // Why the best is not to be believed; nullopt when nothing is seen, or when there is no best.
  std::optional<std::string> doubt_about_best() const;
};

// An Error when not a single record could be read.
Result<RecordsSummary> summarize(const std::string& records_path, const ReportOptions& options);

}  // namespace petri
