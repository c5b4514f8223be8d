#include "evolve/regression_benchmarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

namespace evolve {
namespace {

using Values = std::span<const double>;

std::vector<Sampling> at_random(double low, double high, std::size_t count, std::size_t variables = 1) {
  return std::vector<Sampling>(variables, {.low = low, .high = high, .count = count});
}
std::vector<Sampling> grid(double low, double high, double step, std::size_t variables = 1) {
  return std::vector<Sampling>(variables, {.low = low, .high = high, .count = 0, .step = step});
}

// x + x^2 + ... + x^degree
double power_sum(double x, int degree) {
  double sum = 0;
  for (int i = 0; i < degree; ++i) sum = (sum + 1) * x;
  return sum;
}

double harmonic(double x) {
  double sum = 0;
  for (int i = 1; i <= static_cast<int>(x); ++i) sum += 1.0 / i;
  return sum;
}

double keijzer_1(Values v) { return 0.3 * v[0] * std::sin(2 * std::numbers::pi * v[0]); }
double keijzer_4(Values v) {
  const double s = std::sin(v[0]);
  const double c = std::cos(v[0]);
  return v[0] * v[0] * v[0] * std::exp(-v[0]) * c * s * (s * s * c - 1);
}
double pagie_1(Values v) { return 1 / (1 + std::pow(v[0], -4)) + 1 / (1 + std::pow(v[1], -4)); }

const std::vector<Sampling> kKeijzer5{{-1, 1, 1'000}, {1, 2, 1'000}, {-1, 1, 1'000}};

std::vector<RegressionBenchmark> make_benchmarks() {
  using enum PrimitiveSet;
  const auto unit = at_random(-1, 1, 20);
  return {
      {"koza-1", "x^4 + x^3 + x^2 + x", unit, koza, [](Values v) { return power_sum(v[0], 4); }},
      {"koza-2", "x^5 - 2x^3 + x", unit, koza,
       [](Values v) {
         const double x = v[0];
         return std::pow(x, 5) - 2 * std::pow(x, 3) + x;
       }},
      {"koza-3", "x^6 - 2x^4 + x^2", unit, koza,
       [](Values v) {
         const double x = v[0];
         return std::pow(x, 6) - 2 * std::pow(x, 4) + x * x;
       }},
      {"nguyen-1", "x^3 + x^2 + x", unit, koza, [](Values v) { return power_sum(v[0], 3); }},
      {"nguyen-2", "x^4 + x^3 + x^2 + x", unit, koza, [](Values v) { return power_sum(v[0], 4); }},
      {"nguyen-3", "x^5 + x^4 + x^3 + x^2 + x", unit, koza, [](Values v) { return power_sum(v[0], 5); }},
      {"nguyen-4", "x^6 + x^5 + x^4 + x^3 + x^2 + x", unit, koza, [](Values v) { return power_sum(v[0], 6); }},
      {"nguyen-5", "sin(x^2) cos(x) - 1", unit, koza,
       [](Values v) { return std::sin(v[0] * v[0]) * std::cos(v[0]) - 1; }},
      {"nguyen-6", "sin(x) + sin(x + x^2)", unit, koza,
       [](Values v) { return std::sin(v[0]) + std::sin(v[0] + v[0] * v[0]); }},
      {"nguyen-7", "ln(x + 1) + ln(x^2 + 1)", at_random(0, 2, 20), koza,
       [](Values v) { return std::log(v[0] + 1) + std::log(v[0] * v[0] + 1); }},
      {"nguyen-8", "sqrt(x)", at_random(0, 4, 20), koza, [](Values v) { return std::sqrt(v[0]); }},
      {"nguyen-9", "sin(x) + sin(y^2)", at_random(-1, 1, 100, 2), koza,
       [](Values v) { return std::sin(v[0]) + std::sin(v[1] * v[1]); }},
      {"nguyen-10", "2 sin(x) cos(y)", at_random(-1, 1, 100, 2), koza,
       [](Values v) { return 2 * std::sin(v[0]) * std::cos(v[1]); }},
      {"keijzer-1", "0.3 x sin(2 pi x)", grid(-1, 1, 0.1), keijzer, keijzer_1},
      {"keijzer-2", "0.3 x sin(2 pi x)", grid(-2, 2, 0.1), keijzer, keijzer_1},
      {"keijzer-3", "0.3 x sin(2 pi x)", grid(-3, 3, 0.1), keijzer, keijzer_1},
      {"keijzer-4", "x^3 e^-x cos(x) sin(x) (sin(x)^2 cos(x) - 1)", grid(0, 10, 0.05), keijzer, keijzer_4},
      {"keijzer-5", "30 x z / ((x - 10) y^2)", kKeijzer5, keijzer,
       [](Values v) { return 30 * v[0] * v[2] / ((v[0] - 10) * v[1] * v[1]); }},
      {"keijzer-6", "1 + 1/2 + ... + 1/x", grid(1, 50, 1), keijzer, [](Values v) { return harmonic(v[0]); }},
      {"keijzer-7", "ln(x)", grid(1, 100, 1), keijzer, [](Values v) { return std::log(v[0]); }},
      {"keijzer-8", "sqrt(x)", grid(0, 100, 1), keijzer, [](Values v) { return std::sqrt(v[0]); }},
      {"keijzer-9", "arcsinh(x)", grid(0, 100, 1), keijzer, [](Values v) { return std::asinh(v[0]); }},
      {"keijzer-10", "x^y", at_random(0, 1, 100, 2), keijzer, [](Values v) { return std::pow(v[0], v[1]); }},
      {"keijzer-11", "x y + sin((x - 1)(y - 1))", at_random(-3, 3, 20, 2), keijzer,
       [](Values v) { return v[0] * v[1] + std::sin((v[0] - 1) * (v[1] - 1)); }},
      {"keijzer-12", "x^4 - x^3 + y^2/2 - y", at_random(-3, 3, 20, 2), keijzer,
       [](Values v) { return std::pow(v[0], 4) - std::pow(v[0], 3) + v[1] * v[1] / 2 - v[1]; }},
      {"keijzer-13", "6 sin(x) cos(y)", at_random(-3, 3, 20, 2), keijzer,
       [](Values v) { return 6 * std::sin(v[0]) * std::cos(v[1]); }},
      {"keijzer-14", "8 / (2 + x^2 + y^2)", at_random(-3, 3, 20, 2), keijzer,
       [](Values v) { return 8 / (2 + v[0] * v[0] + v[1] * v[1]); }},
      {"keijzer-15", "x^3/5 + y^3/2 - y - x", at_random(-3, 3, 20, 2), keijzer,
       [](Values v) { return std::pow(v[0], 3) / 5 + std::pow(v[1], 3) / 2 - v[1] - v[0]; }},
      {"pagie-1", "1/(1 + x^-4) + 1/(1 + y^-4)", grid(-5, 5, 0.4, 2), koza, pagie_1},
  };
}

std::vector<Point> random_points(const std::vector<Sampling>& variables, Random& random) {
  std::vector<Point> points(variables.front().count);
  for (Point& point : points) {
    for (const Sampling& variable : variables) point.push_back(random.between(variable.low, variable.high));
  }
  return points;
}

std::vector<Point> grid_points(const std::vector<Sampling>& variables) {
  std::vector<Point> points{{}};
  for (const Sampling& variable : variables) {
    const auto steps = static_cast<int>(std::lround((variable.high - variable.low) / variable.step));
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (int i = 0; i <= steps; ++i) {
        longer.push_back(point);
        longer.back().push_back(variable.low + i * variable.step);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace

const std::vector<RegressionBenchmark>& regression_benchmarks() {
  static const std::vector<RegressionBenchmark> all = make_benchmarks();
  return all;
}

petri::Result<RegressionBenchmark> regression_benchmark(std::string_view name) {
  std::vector<std::string> names;
  for (const RegressionBenchmark& benchmark : regression_benchmarks()) {
    if (benchmark.name == name) return benchmark;
    names.push_back(benchmark.name);
  }
  return petri::fail(petri::ErrorCode::not_found,
                     fmt::format("there is no regression problem \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

std::vector<Point> sample(const RegressionBenchmark& benchmark, Random& random) {
  const bool is_random = benchmark.variables.front().count > 0;
  return is_random ? random_points(benchmark.variables, random) : grid_points(benchmark.variables);
}

}  // namespace evolve
