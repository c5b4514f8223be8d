#include "evolve/symbolic_regression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evolve/generations.h"

namespace evolve {
namespace {

petri::Record judge(const TreeTask& task, const Tree& tree) {
  petri::WasmBuilder module;
  task.emit(tree, module);
  const auto wasm = module.build().value();
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};
  return petri::Evaluator().evaluate(candidates, task.judging.cases, task.judging.spec).value().records.front();
}

// The language's leaf that is a constant.
Node constant_node(const TreeTask& task, double value) {
  const auto& primitives = task.language.primitives;
  const auto leaf =
      std::ranges::find_if(primitives, [](const auto& one) { return static_cast<bool>(one.make_constant); });
  return {.primitive = static_cast<std::uint16_t>(leaf - primitives.begin()), .value = value};
}

TEST(RegressionBenchmarks, AreTheOnesOfTheLiterature) {
  std::vector<std::string> names;
  for (const auto& benchmark : regression_benchmarks()) names.push_back(benchmark.name);

  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"koza-1", "koza-3", "nguyen-1", "nguyen-10", "keijzer-1", "keijzer-15", "pagie-1"}));
  EXPECT_EQ(names.size(), 3U + 10 + 15 + 1);
}

TEST(RegressionBenchmarks, AreSampledAsTheyArePublished) {
  Random random(1);
  const auto points = [&](const char* name) { return sample(regression_benchmark(name).value(), random); };

  EXPECT_EQ(points("koza-1").size(), 20U);
  EXPECT_EQ(points("nguyen-9").size(), 100U);
  EXPECT_EQ(points("keijzer-4").size(), 201U);
  EXPECT_EQ(points("keijzer-5").size(), 1'000U);
  EXPECT_EQ(points("pagie-1").size(), 26U * 26);
  for (const Point& point : points("nguyen-8")) {
    EXPECT_GE(point[0], 0);
    EXPECT_LT(point[0], 4);
  }
}

TEST(RegressionBenchmarks, HaveTheValuesOfTheirFormulas) {
  const auto value = [](const char* name, const Point& point) { return regression_benchmark(name)->target(point); };

  EXPECT_EQ(value("koza-1", {2}), 30);
  EXPECT_EQ(value("koza-2", {2}), 18);
  EXPECT_EQ(value("koza-3", {2}), 36);
  EXPECT_EQ(value("nguyen-4", {2}), 126);
  EXPECT_EQ(value("nguyen-8", {4}), 2);
  EXPECT_EQ(value("keijzer-6", {3}), 1 + 1.0 / 2 + 1.0 / 3);
  EXPECT_EQ(value("keijzer-14", {1, 1}), 2);
  EXPECT_EQ(value("pagie-1", {1, 1}), 1);
}

TEST(RegressionBenchmarks, RefuseANameNobodyKnows) {
  const auto unknown = regression_benchmark("koza-9");

  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message,
              testing::HasSubstr("there is no regression problem \"koza-9\"; there are koza-1"));
}

TEST(SymbolicRegression, GivesAConstantProgramItsExactScore) {
  const TreeTask task = symbolic_regression(regression_benchmark("keijzer-8").value(), 1);

  const petri::Record record = judge(task, {constant_node(task, 5)});

  double expected = 0;
  for (int i = 0; i <= 100; ++i) expected += (5 - std::sqrt(i)) * (5 - std::sqrt(i));
  EXPECT_EQ(record.score, expected);
  EXPECT_FALSE(task.describe(record).solved);
}

TEST(SymbolicRegression, IsSolvedByTheFormulaItself) {
  const TreeTask task = symbolic_regression(regression_benchmark("keijzer-8").value(), 1);
  const auto& primitives = task.language.primitives;
  const auto root = std::ranges::find(primitives, "sqrt", &Primitive::name) - primitives.begin();

  const petri::Record record = judge(task, {{static_cast<std::uint16_t>(root)}, {0}});

  EXPECT_EQ(record.score, 0);
  EXPECT_TRUE(task.describe(record).solved);
  EXPECT_EQ(task.describe(record).text, "101 of 101 points hit, squared error 0");
}

TEST(SymbolicRegression, FindsACubicPolynomial) {
  TreeProblem problem(symbolic_regression(regression_benchmark("nguyen-1").value(), 1), 1);

  const auto end = run_generations(problem, {.budget = 30'000});

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::solved) << problem.best()->text;
}

}  // namespace
}  // namespace evolve
