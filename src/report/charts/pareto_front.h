// The candidates that no other beats in both score and fuel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "petri/report/report.h"

namespace petri {

struct ScoreAndFuel {
  std::size_t row = 0;
  double score = 0;
  std::uint64_t fuel = 0;
  bool operator==(const ScoreAndFuel&) const = default;
};

// Keeps the Pareto front of a stream of points, and an even sample of all of them, both in bounded memory. Of equal
// points the first one stays.
class ParetoFront {
 public:
  static constexpr std::size_t kFrontMax = 1'000;
  static constexpr std::size_t kSampleMax = 2'000;

  explicit ParetoFront(BestScore best) : best_(best) {}

  // Points with a score that is finite.
  void add(const ScoreAndFuel& point);

  // By fuel, the cheapest first, so that scores get better from one to the next. Of a front beyond kFrontMax every
  // other point but the first and the last was dropped.
  const std::vector<ScoreAndFuel>& front() const { return front_; }
  // Every n-th point.
  const std::vector<ScoreAndFuel>& sample() const { return sample_; }

 private:
  void add_to_front(const ScoreAndFuel& point);
  void add_to_sample(const ScoreAndFuel& point);

  const BestScore best_;
  std::vector<ScoreAndFuel> front_, sample_;
  std::size_t n_ = 1;
  std::size_t seen_ = 0;
};

}  // namespace petri
