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

}  // namespace

void BestRows::add(const StoredRecord& stored, std::optional<std::string> doubt) {
  const std::optional<double> score = stored.record.score;
  if (!is_better(score, std::nullopt, best_)) return;
  if (rows_.size() == rows_max_ && !is_better(score, rows_.back().score, best_)) return;

  const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const BestRow& row) {
    return row.artifact && row.artifact == stored.record.artifact;
  });
  if (same != rows_.end()) {
    if (!is_better(score, same->score, best_)) return;
    rows_.erase(same);
  }
  if (rows_.size() == rows_max_) rows_.pop_back();
  const auto place =
      std::find_if(rows_.begin(), rows_.end(), [&](const BestRow& row) { return is_better(score, row.score, best_); });
  rows_.insert(place, best_row_of(stored, std::move(doubt)));
}

}  // namespace petri
