// How scores went from row to row: the best so far, and some of all.
#pragma once

#include <optional>

#include "report/best_rows.h"
#include "report/charts/every_nth.h"

namespace petri {

class ScoreCurve {
 public:
  static constexpr std::size_t kStepsMax = 1'000;
  static constexpr std::size_t kSampleMax = 1'500;

  explicit ScoreCurve(BestScore best) : best_is_(best) {}

  // Rows come in order; a score that is not a number is left out.
  void add(std::size_t row, std::optional<double> score);

  // The rows that were better than all before them, thinned; the last of them is always there.
  std::vector<RowScore> steps() const;
  // Every n-th of all rows with a score.
  const EveryNth& sample() const { return sample_; }
  std::size_t improvements() const { return steps_.seen(); }
  const std::optional<RowScore>& best() const { return best_; }
  BestScore best_is() const { return best_is_; }

 private:
  const BestScore best_is_;
  EveryNth steps_{kStepsMax};
  EveryNth sample_{kSampleMax};
  std::optional<RowScore> best_;
};

}  // namespace petri
