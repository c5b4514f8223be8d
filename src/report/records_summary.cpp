#include "report/records_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/name_table.h"
#include "base/text/escape.h"
#include "report/doubt.h"

namespace petri {
namespace {

constexpr NameTable<3> kStates{"whole", "incomplete", "changed"};
static_assert(static_cast<std::size_t>(RecordsState::changed) + 1 == kStates.size());

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

RecordsState state_of(const RecordsReader& reader) {
  if (doubt_about(reader.header())) return RecordsState::changed;
  if (!reader.ending()) return RecordsState::incomplete;
  return *reader.ending() == reader.expected_ending() ? RecordsState::whole : RecordsState::changed;
}

}  // namespace

std::string_view name_of(RecordsState state) { return name_in(kStates, state); }

std::optional<std::string> RecordsSummary::doubt_about_best() const {
  if (!curve.best() || best.rows().empty() || best.rows().front().row != curve.best()->row) return std::nullopt;
  return best.rows().front().doubt;
}

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
  if (record.score) score_fuel.add({.row = record.row, .score = *record.score, .fuel = record.fuel_used});
  auto doubt = doubt_about(stored, header);
  if (doubt) ++doubtful;
  best.add(stored, std::move(doubt));
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
  summary.state = state_of(*reader);
  if (reader->ending()) summary.cancelled_at_end = reader->ending()->cancelled;
  return summary;
}

}  // namespace petri
