// The search for a formula through given points.
#pragma once

#include "evolve/regression_benchmarks.h"
#include "evolve/tree_problem.h"

namespace evolve {

// Solved when every point is hit: met to less than 0.01, as Koza counts. The seed draws points where they are drawn.
TreeTask symbolic_regression(const RegressionBenchmark& benchmark, std::uint64_t seed);

}  // namespace evolve
