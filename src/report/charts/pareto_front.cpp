#include "report/charts/pareto_front.h"

#include <algorithm>
#include <cmath>

#include "report/best_rows.h"

namespace petri {
namespace {

// Drops the second, the fourth and so on; the last stays.
void drop_every_other(std::vector<ScoreAndFuel>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 2 == 0 || i + 1 == points.size()) points[kept++] = points[i];
  }
  points.resize(kept);
}

}  // namespace

void ParetoFront::add(const ScoreAndFuel& point) {
  if (!std::isfinite(point.score)) return;
  add_to_front(point);
  add_to_sample(point);
}

void ParetoFront::add_to_front(const ScoreAndFuel& point) {
  auto next = std::ranges::upper_bound(front_, point.fuel, {}, &ScoreAndFuel::fuel);
  const bool beaten = next != front_.begin() && !is_better(point.score, std::prev(next)->score, best_);
  if (beaten) return;
  if (next != front_.begin() && std::prev(next)->fuel == point.fuel) --next;
  const auto end = std::find_if(next, front_.end(), [&](const ScoreAndFuel& other) {
    return other.fuel > point.fuel && is_better(other.score, point.score, best_);
  });
  front_.insert(front_.erase(next, end), point);
  if (front_.size() > kFrontMax) drop_every_other(front_);
}

void ParetoFront::add_to_sample(const ScoreAndFuel& point) {
  if (seen_++ % n_ != 0) return;
  sample_.push_back(point);
  if (sample_.size() <= kSampleMax) return;
  n_ *= 2;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sample_.size(); i += 2) sample_[kept++] = sample_[i];
  sample_.resize(kept);
}

}  // namespace petri
