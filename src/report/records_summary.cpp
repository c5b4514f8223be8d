#include "report/records_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/escape.h"

namespace petri {
namespace {

std::uint64_t add_capped(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::unexpected<Error> refuse_empty(const std::string& path) {
  Error error{.code = ErrorCode::validation_failed,
              .message = fmt::format("{}: there is no record in this file, so there is nothing to report",
                                     escape_text(path, 4'096)),
              .details = {}};
  return fail(std::move(error).with("path", path));
}

}  // namespace

void RecordsSummary::add(const StoredRecord& stored) {
  const Record& record = stored.record;
  ++records;
  rows_end = record.row + 1;
  if (record.repeats_row) ++repeated;
  if (!record.repeatable) ++not_repeatable;
  outcomes.add(record);
  if (record.outcome) fuel.add(record.fuel_used, record.outcome == OutcomeKind::ok);
  fuel_used = add_capped(fuel_used, record.fuel_used);
  curve.add(record.row, record.score);
  best.add(stored);
  if (!stored.origin || !stored.origin->generation) return;
  const std::uint64_t generation = *stored.origin->generation;
  generation_first = std::min(generation_first.value_or(generation), generation);
  generation_last = std::max(generation_last.value_or(generation), generation);
}

Result<RecordsSummary> summarize(const std::string& records_path, const ReportOptions& options) {
  PETRI_TRY(const auto reader, RecordsReader::open(records_path));
  RecordsSummary summary(reader->header(), options);
  for (;;) {
    const auto stored = reader->next();
    if (!stored && summary.records == 0) return fail(stored.error());
    if (!stored) summary.read_error = stored.error();
    if (!stored || !*stored) break;
    summary.add(**stored);
  }
  if (summary.records == 0) return refuse_empty(records_path);
  return summary;
}

}  // namespace petri
