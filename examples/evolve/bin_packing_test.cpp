#include "evolve/bin_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evolve/generations.h"
#include "evolve/packing_module.h"

namespace evolve {
namespace {

std::uint16_t primitive(const Language& language, std::string_view name) {
  const auto found = std::ranges::find(language.primitives, name, &Primitive::name);
  return static_cast<std::uint16_t>(found - language.primitives.begin());
}

// The bins a rule needs for each instance, counted by its module.
std::vector<std::size_t> bins_by(const Tree& rule, const Instances& instances) {
  petri::WasmBuilder module;
  emit_packing(rule, packing_language(), packing_memory(instances), module);
  const auto wasm = module.build().value();
  std::vector<petri::Case> cases;
  for (const Items& items : instances.all) cases.push_back(packing_case(items, instances.capacity));
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};
  const auto evaluation = petri::Evaluator().evaluate(candidates, cases, {.function = "pack"}).value();
  const petri::Record& record = evaluation.records.front();
  EXPECT_EQ(record.outcome, petri::OutcomeKind::ok) << record.message;
  return {record.value_bits.begin(), record.value_bits.end()};
}

Instances small_instances(ItemSizes sizes) {
  Random random(11);
  return make_instances({.sizes = sizes, .count = 4, .items = 200}, random);
}

std::vector<std::size_t> best_fit_bins(const Instances& instances) {
  std::vector<std::size_t> bins;
  for (const Items& items : instances.all) bins.push_back(best_fit(items, instances.capacity));
  return bins;
}

TEST(PackingModule, IsBestFitWhenLessRoomIsBetter) {
  const Language language = packing_language();
  const Tree less_room{{primitive(language, "-")}, {primitive(language, "item")}, {primitive(language, "room")}};
  for (const ItemSizes sizes : {ItemSizes::weibull, ItemSizes::uniform}) {
    const Instances instances = small_instances(sizes);
    EXPECT_EQ(bins_by(less_room, instances), best_fit_bins(instances)) << name_of(sizes);
  }
}

TEST(PackingModule, IsBestFitWhenAllBinsAreEqual) {
  const Language language = packing_language();
  const Instances instances = small_instances(ItemSizes::weibull);

  EXPECT_EQ(bins_by({{primitive(language, "item")}}, instances), best_fit_bins(instances));
}

TEST(PackingModule, OpensABinForEachItemWhenMoreRoomIsBetter) {
  const Language language = packing_language();

  EXPECT_THAT(bins_by({{primitive(language, "room")}}, small_instances(ItemSizes::weibull)), testing::Each(200U));
}

TEST(PackingModule, PacksByHandAsOneWould) {
  const Language language = packing_language();
  const Instances instances{.capacity = 10, .all = {{5, 7, 3, 5}, {10, 10}, {1}}};

  EXPECT_THAT(bins_by({{primitive(language, "item")}}, instances), testing::ElementsAre(2, 2, 1));
}

TEST(BinPacking, ScoresTheSquaredBinsAboveTheBound) {
  const Instances instances{.capacity = 10, .all = {{6, 6, 6}, {10, 10}}};  // bounds 2 and 2, both rules need 3 and 2
  const TreeTask task = bin_packing({.title = "by hand", .training = instances, .unseen = std::nullopt});
  petri::WasmBuilder module;
  task.emit({{primitive(task.language, "item")}}, module);
  const auto wasm = module.build().value();
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};

  const auto evaluation = petri::Evaluator().evaluate(candidates, task.judging.cases, task.judging.spec).value();

  EXPECT_EQ(evaluation.records.front().score, 1);
  EXPECT_EQ(task.describe(evaluation.records.front()).text, "5 bins, 25.00 % above the bound of 4");
}

TEST(BinPacking, IsNeverWorseThanBestFitOnWhatItIsBredOn) {
  const PackingSets sets = packing_sets({.count = 2, .items = 60}, 1);
  TreeProblem problem(bin_packing(sets), 1);
  const auto end = run_generations(problem, {.budget = 400});
  ASSERT_TRUE(end) << end.error().message;

  double best_fit_score = 0;
  for (const Items& items : sets.training.all) {
    const double above = static_cast<double>(best_fit(items, 100)) - static_cast<double>(l1_bound(items, 100));
    best_fit_score += above * above;
  }
  EXPECT_LE(problem.best()->score, best_fit_score);
  EXPECT_THAT(problem.epilogue(), testing::SizeIs(8));
  EXPECT_THAT(problem.epilogue(), testing::Contains(testing::HasSubstr("first fit")));
}

}  // namespace
}  // namespace evolve
