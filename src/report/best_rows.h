// The best candidates of a stream of records, and which of two scores is the better one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "petri/records.h"
#include "petri/report/report.h"

namespace petri {

// A record as the table of the best shows it.
struct BestRow {
  std::size_t row = 0;
  double score = 0;
  std::optional<ArtifactId> artifact;
  std::uint64_t fuel_used = 0;
  std::uint64_t memory_peak_bytes = 0;
  std::optional<Sha256> receipt;
  std::optional<Origin> origin;
  std::size_t wasm_bytes = 0;
  std::optional<std::string> doubt;  // why it is not to be believed as it stands
};

// Keeps the `rows_max` best, each artifact once: of equal scores, and of one artifact, the earlier row is the better.
class BestRows {
 public:
  BestRows(std::size_t rows_max, BestScore best) : rows_max_(rows_max), best_(best) {}

  // Rows come in order; one whose score is not a number is left out.
  void add(const StoredRecord& stored, std::optional<std::string> doubt = std::nullopt);
  // Best first.
  const std::vector<BestRow>& rows() const { return rows_; }

 private:
  const std::size_t rows_max_;
  const BestScore best_;
  std::vector<BestRow> rows_;
};

// NaN and no score are worse than any number, and no better than each other.
bool is_better(std::optional<double> score, std::optional<double> than, BestScore best);

}  // namespace petri
