#include "evolve/symbolic_regression.h"

#include <fmt/format.h>

#include <cmath>

#include "evolve/arithmetic.h"

namespace evolve {
namespace {

constexpr double kHit = 0.01;

// With mean 0 and deviation 5, near enough to normal: the sum of twelve even draws. Needs no logarithm, whose last bit
// differs between machines.
double draw_constant(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return 5 * sum;
}

std::vector<std::string> variable_names(std::size_t count) {
  const std::vector<std::string> names{"x", "y", "z"};
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

Language language_of(const RegressionBenchmark& benchmark) {
  namespace a = arithmetic;
  std::vector<Primitive> leaves;
  const auto names = variable_names(benchmark.variables.size());
  for (std::size_t i = 0; i < names.size(); ++i) leaves.push_back(variable(names[i], i));
  if (benchmark.primitives == PrimitiveSet::keijzer) {
    leaves.push_back(a::constant(draw_constant));
    return make_language(petri::ValueType::f64, std::move(leaves),
                         {a::add(), a::multiply(), a::invert(), a::negate(), a::square_root()});
  }
  return make_language(
      petri::ValueType::f64, std::move(leaves),
      {a::add(), a::subtract(), a::multiply(), a::divide(), a::sine(), a::cosine(), a::exponential(), a::logarithm()});
}

Judging judging_of(const RegressionBenchmark& benchmark, const std::vector<Point>& points) {
  Judging judging{.spec = {.function = "f", .fuel_max = 100'000, .memory_bytes_max = 64 << 10}, .cases = {}};
  for (const Point& point : points) {
    judging.cases.push_back({.arguments = {point.begin(), point.end()}, .input = {}});
    judging.spec.targets.push_back(benchmark.target(point));
  }
  return judging;
}

Best describe(const petri::Record& record, const std::vector<double>& targets) {
  std::size_t hits = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto value = record.value(i);
    hits += value && std::abs(value->f64() - targets[i]) < kHit ? 1 : 0;
  }
  return {.score = *record.score,
          .solved = hits == targets.size(),
          .text = fmt::format("{} of {} points hit, squared error {:.3g}", hits, targets.size(), *record.score)};
}

}  // namespace

TreeTask symbolic_regression(const RegressionBenchmark& benchmark, std::uint64_t seed) {
  Random random(seed ^ 0x706f'696e'7473U);  // the points have their own random state
  const Language language = language_of(benchmark);
  const Judging judging = judging_of(benchmark, sample(benchmark, random));
  const std::size_t variables = benchmark.variables.size();
  return {
      .title = fmt::format("{}: f = {} at {} points", benchmark.name, benchmark.formula, judging.cases.size()),
      .language = language,
      .population = {},
      .judging = judging,
      .emit = [language, variables](const Tree& tree,
                                    petri::WasmBuilder& module) { emit_function(tree, language, variables, module); },
      .describe = [targets = judging.spec.targets](const petri::Record& record) { return describe(record, targets); },
      .formula_name = "f ="};
}

}  // namespace evolve
