// The formulas genetic programming is tried on, with the points at which they are sampled: Koza 1992, Uy et al. 2011
// (Nguyen), Keijzer 2003 and Pagie 1997, as McDermott et al. 2012 list them.
#pragma once

#include <petri/result.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evolve/random.h"

namespace evolve {

enum class PrimitiveSet : std::uint8_t { koza, keijzer };

// The samples of one variable: `count` random points, or from `low` to `high` in equal steps.
struct Sampling {
  double low = -1;
  double high = 1;
  std::size_t count = 0;  // random points; 0: a grid
  double step = 0;        // of the grid
};

struct RegressionBenchmark {
  std::string name;
  std::string formula;  // for people
  std::vector<Sampling> variables;
  PrimitiveSet primitives = PrimitiveSet::koza;
  std::function<double(std::span<const double>)> target;
};

const std::vector<RegressionBenchmark>& regression_benchmarks();
petri::Result<RegressionBenchmark> regression_benchmark(std::string_view name);

using Point = std::vector<double>;
// Grids of several variables are crossed; random points are drawn together.
std::vector<Point> sample(const RegressionBenchmark& benchmark, Random& random);

}  // namespace evolve
