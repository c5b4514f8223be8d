#include "report/charts/every_nth.h"

namespace petri {

void EveryNth::add(RowScore point) {
  if (seen_++ % n_ != 0) return;
  if (points_.size() == points_max_) thin();
  // After thinning, this point may be one of those in between.
  if ((seen_ - 1) % n_ == 0) points_.push_back(point);
}

void EveryNth::thin() {
  n_ *= 2;
  for (std::size_t index = 0; 2 * index < points_.size(); ++index) points_[index] = points_[2 * index];
  points_.resize((points_.size() + 1) / 2);
}

}  // namespace petri
