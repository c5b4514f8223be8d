#include "report/best_rows.h"

#include <algorithm>

namespace petri {
namespace {

BestRow best_row_of(const StoredRecord& stored, std::optional<std::string> doubt) {
  const Record& record = stored.record;
  return {.row = record.row,
          .score = *record.score,
          .artifact = record.artifact,
          .fuel_used = record.fuel_used,
          .memory_peak_bytes = record.memory_peak_bytes,
          .receipt = record.receipt,
          .origin = stored.origin,
          .wasm_bytes = stored.wasm ? stored.wasm->size() : 0,
          .doubt = std::move(doubt)};
}

// Where scores are equal, the one of less fuel is better, and else the earlier.
bool is_better_than(const BestRow& row, const Record& record, BestScore best) {
  if (is_better(row.score, record.score, best)) return true;
  return row.score == record.score && row.fuel_used <= record.fuel_used;
}

}  // namespace

void BestRows::add(const StoredRecord& stored, std::optional<std::string> doubt) {
  const std::optional<double> score = stored.record.score;
  if (!is_better(score, std::nullopt, best_)) return;
  if (rows_.size() == rows_max_ && is_better_than(rows_.back(), stored.record, best_)) return;

  const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const BestRow& row) {
    return row.artifact && row.artifact == stored.record.artifact;
  });
  if (same != rows_.end()) {
    if (is_better_than(*same, stored.record, best_)) return;
    rows_.erase(same);
  }
  if (rows_.size() == rows_max_) rows_.pop_back();
  const auto place = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const BestRow& row) { return !is_better_than(row, stored.record, best_); });
  rows_.insert(place, best_row_of(stored, std::move(doubt)));
}

}  // namespace petri
