#include "report/charts/score_curve.h"

#include <cmath>

namespace petri {

void ScoreCurve::add(std::size_t row, std::optional<double> score) {
  if (!score || std::isnan(*score)) return;
  const RowScore point{.row = row, .score = *score};
  sample_.add(point);
  if (best_ && !is_better(score, best_->score, best_is_)) return;
  best_ = point;
  steps_.add(point);
}

std::vector<RowScore> ScoreCurve::steps() const {
  std::vector<RowScore> steps = steps_.points();
  if (best_ && (steps.empty() || steps.back() != *best_)) steps.push_back(*best_);
  return steps;
}

}  // namespace petri
