// The same records whatever carries the evaluation out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <tuple>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

// Compilations begin at once, so that candidates change their tier in mid-run.
EvaluatorOptions eager() { return {.promote_fuel = 1, .promote_fuel_per_byte = 0}; }

const std::string& expected_file() {
  static const std::string file = [] {
    Evaluator evaluator;
    return records_of(evaluator, CandidateSet::mixed(40), cases_of({-1, 0, 0.25, 0.5, 1, 2}), small_spec(),
                      {.workers = 1, .tier = Tier::interpreted});
  }();
  return file;
}

class RecordsFileTest : public testing::TestWithParam<std::tuple<unsigned, Tier>> {};

// B11 B12 X11
TEST_P(RecordsFileTest, IsTheSameToTheByte) {
  const auto [workers, tier] = GetParam();
  Evaluator evaluator({}, eager());
  const std::string file = records_of(evaluator, CandidateSet::mixed(40), cases_of({-1, 0, 0.25, 0.5, 1, 2}),
                                      small_spec(), {.workers = workers, .tier = tier});
  EXPECT_GT(file.size(), 10'000U);
  EXPECT_TRUE(file == expected_file());
}

INSTANTIATE_TEST_SUITE_P(WorkersAndTiers, RecordsFileTest,
                         testing::Combine(testing::Values(1U, 2U, 8U),
                                          testing::Values(Tier::interpreted, Tier::compiled, Tier::automatic)));

// B12: what is carried from tier to tier is seen in the values.
TEST(Promotion, ChangesNothingButTheTier) {
  const CandidateSet population{summing(300'000), summing_unmovable(300'000), busy(300'000)};
  std::vector<Case> cases;
  for (int number = 0; number < 60; ++number) cases.push_back({.arguments = {Value(0.5 * number)}});
  EvaluationSpec spec = small_spec();
  spec.memory_bytes_max = 16 << 20;
  Evaluator plain;
  const Evaluation interpreted =
      evaluate(plain, population, cases, spec, {.tier = Tier::interpreted, .use_cache = false});
  Evaluator evaluator({}, eager());
  const Evaluation moved = evaluate(evaluator, population, cases, spec, {.use_cache = false});
  for (std::size_t row = 0; row < population.size(); ++row) {
    EXPECT_EQ(moved.records[row].receipt, interpreted.records[row].receipt);
    EXPECT_EQ(moved.records[row].memory_peak_bytes, interpreted.records[row].memory_peak_bytes);
  }
  EXPECT_EQ(moved.timings[0].tier, Tier::compiled);
  EXPECT_EQ(moved.timings[1].tier, Tier::interpreted) << "it writes its table, and stays where it is for its life";
  EXPECT_EQ(moved.timings[2].tier, Tier::compiled);
  EXPECT_EQ(moved.counts.promoted, 2U);
  EXPECT_EQ(evaluator.statistics().promotions, 3U);
  EXPECT_EQ(evaluator.statistics().compiled_modules, 3U);

  const Evaluation again = evaluate(evaluator, population, cases, spec, {.use_cache = false});
  EXPECT_EQ(again.timings[1].tier, Tier::compiled) << "a new instance uses what is there";
  EXPECT_EQ(again.counts.promoted, 0U) << "all of them began compiled";
  EXPECT_EQ(again.records[1].receipt, interpreted.records[1].receipt);
}

TEST(Promotion, LeavesTheUnmovableBehindAtTheNextFreshInstance) {  // X14
  EvaluationSpec spec = small_spec();
  spec.instances = Instances::per_case;
  std::vector<Case> cases(60, Case{.arguments = {Value(1.0)}});
  Evaluator evaluator({}, eager());
  const Evaluation evaluation = evaluate(evaluator, {summing_unmovable(300'000)}, cases, spec);
  EXPECT_EQ(evaluation.timings[0].tier, Tier::compiled);
  EXPECT_EQ(evaluation.counts.promoted, 1U);
}

// hostile C12
TEST(Promotion, IsGivenUpWhenItTakesTooLong) {
  std::vector<Case> cases(40, Case{.arguments = {Value(1.0)}});
  Evaluator evaluator(
      {}, {.promote_fuel = 1, .promote_fuel_per_byte = 0, .promotion_time_max = std::chrono::nanoseconds(0)});
  const Evaluation evaluation = evaluate(evaluator, {busy(300'000)}, cases, small_spec(), {.use_cache = false});
  EXPECT_EQ(evaluation.timings[0].tier, Tier::interpreted);
  EXPECT_EQ(evaluation.counts.promoted, 0U);
  EXPECT_EQ(evaluator.statistics().promotions_given_up, 1U);
  EXPECT_EQ(evaluator.statistics().compiled_modules, 0U);
  evaluate(evaluator, {busy(300'000)}, cases, small_spec(), {.use_cache = false});
  EXPECT_EQ(evaluator.statistics().promotions_given_up, 1U) << "it is not tried again";
}

// An artifact that comes back with every batch is hot, though no batch is.
TEST(Promotion, AddsUpWhatEvaluationsBurn) {
  Evaluator evaluator({}, {.promote_fuel = 10'000'000, .promote_fuel_per_byte = 0});
  EvaluationSpec spec = small_spec();
  const CandidateSet population{busy(200'000)};  // a million
  Tier tier = Tier::interpreted;
  for (spec.seed = 0; spec.seed < 2'000 && tier == Tier::interpreted; ++spec.seed) {
    tier = evaluate(evaluator, population, cases_of({1}), spec).timings[0].tier;
    EXPECT_TRUE(tier == Tier::interpreted || spec.seed >= 10);
  }
  EXPECT_EQ(tier, Tier::compiled);
}

TEST(Promotion, KeepsNoMoreModulesThanItMay) {
  Evaluator evaluator({}, {.compiled_modules_max = 3});
  CandidateSet population;
  for (int row = 0; row < 10; ++row) population.add(polynomial(row));
  evaluate(evaluator, population, cases_of({1}), small_spec(), {.tier = Tier::compiled});
  EXPECT_EQ(evaluator.statistics().compiled_modules, 3U);
}

// The lines of honest candidates without their row, which others push down.
std::vector<std::string> honest_lines(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(file);
  for (std::string line; std::getline(text, line);) {
    if (line.find("\"outcome\":\"ok\"") != std::string::npos) lines.push_back(line.substr(line.find(',')));
  }
  return lines;
}

// One candidate in ten loops, grows, traps or recurses: the lines of the others stay the same to the byte.
TEST(HostileCandidates, LeaveHonestLinesAsTheyAre) {
  CandidateSet honest, with_hostile;
  for (int row = 0; row < 360; ++row) {
    honest.add(row % 40 == 0 ? summing(50 + row) : polynomial(row));
    with_hostile.add(row % 40 == 0 ? summing(50 + row) : polynomial(row));
    if (row % 36 == 5) with_hostile.add(loop_for_ever(row));
    if (row % 36 == 14) {
      with_hostile.add(
          module_with(fmt::format("(call $deeper) (f64.const {})", row), "", "(func $deeper (call $deeper))"));
    }
    if (row % 36 == 23) with_hostile.add(trapping_above(-row - 1));
    if (row % 36 == 32) with_hostile.add(with_memory(500 + row));
  }
  ASSERT_EQ(with_hostile.size(), 400U);
  const auto cases = cases_of({0, 1, 2});
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 100'000;
  Evaluator plain;
  Evaluator beset({}, eager());
  const auto alone = honest_lines(records_of(plain, honest, cases, spec, {.workers = 1}));
  const auto together = honest_lines(records_of(beset, with_hostile, cases, spec, {.workers = 2}));
  EXPECT_EQ(alone.size(), 360U);
  EXPECT_TRUE(alone == together);
}

// Bombs that are granted what they ask for are among the records too, and change nothing for the others either.
TEST(HostileCandidates, LeaveHonestRecordsAsTheyAre) {
  CandidateSet honest;
  CandidateSet with_hostile;
  for (int row = 0; row < 200; ++row) {
    honest.add(polynomial(row));
    with_hostile.add(polynomial(row));
    if (row % 10 == 3) with_hostile.add(loop_for_ever(row));
    if (row % 10 == 5) with_hostile.add(growing(row));
    if (row % 10 == 7) with_hostile.add(trapping_above(-row));
  }
  const auto cases = cases_of({0, 1, 2});
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 100'000;
  Evaluator evaluator;
  const Evaluation alone = evaluate(evaluator, honest, cases, spec, {.use_cache = false});
  const Evaluation together = evaluate(evaluator, with_hostile, cases, spec, {.use_cache = false});
  std::size_t row = 0;
  for (const Record& record : together.records) {
    if (record.artifact != alone.records[row].artifact) continue;
    EXPECT_EQ(record.receipt, alone.records[row].receipt);
    if (++row == alone.records.size()) break;
  }
  EXPECT_EQ(row, 200U);
}

}  // namespace
}  // namespace petri
