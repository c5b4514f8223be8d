// A stream of points thinned to a bounded number of them, evenly.
#pragma once

#include <cstddef>
#include <vector>

namespace petri {

struct RowScore {
  std::size_t row = 0;
  double score = 0;
  bool operator==(const RowScore&) const = default;
};

// Keeps the first point and every n-th after it. When there would be more than `points_max`, n doubles and every other
// point goes. Which points are kept depends on their order alone.
class EveryNth {
 public:
  explicit EveryNth(std::size_t points_max) : points_max_(points_max) {}

  void add(RowScore point);
  const std::vector<RowScore>& points() const { return points_; }
  std::size_t n() const { return n_; }
  std::size_t seen() const { return seen_; }

 private:
  void thin();
  const std::size_t points_max_;
  std::size_t n_ = 1;
  std::size_t seen_ = 0;
  std::vector<RowScore> points_;
};

}  // namespace petri
