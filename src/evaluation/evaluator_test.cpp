#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "engine/fault_injection.h"
#include "evaluation/evaluator_fixture.h"
#include "petri/evaluate.h"

namespace petri {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// B10
TEST(Evaluator, GivesOneRecordACandidateInInputOrder) {
  Evaluator evaluator;
  const CandidateSet population{polynomial(1), with_memory(2), writing(1), sine()};
  const auto cases = cases_of({0, 2});
  const Evaluation evaluation = evaluate(evaluator, population, cases);
  ASSERT_THAT(evaluation.records, SizeIs(4));
  const Record& first = evaluation.records[0];
  EXPECT_EQ(first.row, 0U);
  EXPECT_EQ(first.artifact, (*Artifact::from_wat(polynomial(1), 1 << 20))->id());
  EXPECT_EQ(first.outcome, OutcomeKind::ok);
  EXPECT_THAT(values_of(first), ElementsAre(1, 5));
  EXPECT_EQ(first.fuel_used, 10U);  // five operators, twice
  EXPECT_EQ(first.memory_peak_bytes, 0U);
  EXPECT_FALSE(first.output);
  EXPECT_TRUE(first.receipt);
  EXPECT_EQ(evaluation.records[1].memory_peak_bytes, 2U * 65'536);
  EXPECT_TRUE(evaluation.records[2].output);
  EXPECT_EQ(evaluation.records[2].memory_peak_bytes, 65'536U + 8);
  EXPECT_EQ(evaluation.records[3].row, 3U);
  EXPECT_EQ(evaluation.counts.evaluated, 4U);
}

// Cases are called in series where nothing but the instance is the candidate's, and one by one below 100 ms a case.
TEST(Evaluator, GivesTheSameRecordsWhetherCasesAreCalledInSeriesOrOneByOne) {
  std::vector<Case> cases;
  for (int x = -290; x < 310; ++x) cases.push_back({.arguments = {Value(static_cast<double>(x))}, .input = {}});
  const CandidateSet population{polynomial(1),
                                busy(100),
                                summing(50),
                                trapping_above(0),
                                recursing(),
                                loop_for_ever(),
                                with_memory(3),
                                summing_unmovable(3),
                                trapping_above(-400),
                                failing_at_start(),
                                sine(),
                                writing(1),
                                leaving(3)};
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 5'000;
  for (const bool stop : {false, true}) {
    spec.stop_at_first_failure = stop;
    Evaluator one, other;
    const std::string in_series = records_of(one, population, cases, spec, {});
    EXPECT_EQ(in_series, records_of(other, population, cases, spec, {.case_time_max = std::chrono::milliseconds(99)}));
    EXPECT_THAT(in_series, HasSubstr("\"cases\":600,")) << "there are some without a failure";
    EXPECT_THAT(in_series, HasSubstr("\"first_failure\":291,")) << "and one that fails within a series";
  }
}

TEST(Evaluator, AnswersAnEmptyBatchWithAnEmptyOne) {
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {}, cases_of({1}));
  EXPECT_THAT(evaluation.records, SizeIs(0));
  EXPECT_EQ(evaluation.counts.rows, 0U);
}

TEST(Evaluator, TakesBytesTextAndArtifactsAlike) {
  const ArtifactPtr artifact = *Artifact::from_wat(polynomial(3), 1 << 20);
  const std::string text = polynomial(3);
  const std::vector<Candidate> candidates{Candidate::wasm(artifact->bytes()), Candidate::wat(text),
                                          Candidate::artifact(artifact)};
  Evaluator evaluator;
  const auto evaluation = evaluator.evaluate(candidates, cases_of({1}), small_spec());
  ASSERT_TRUE(evaluation);
  EXPECT_FALSE(evaluation->records[0].repeats_row);
  EXPECT_EQ(evaluation->records[1].repeats_row, 0U);
  EXPECT_EQ(evaluation->records[2].repeats_row, 0U);
  EXPECT_EQ(evaluation->records[2].receipt, evaluation->records[0].receipt);
}

// B07, as far as candidates go.
TEST(Evaluator, NeverTakesBytesForText) {
  const std::string text = polynomial(3);
  CandidateSet population;
  population.add_bytes({text.begin(), text.end()});
  population.add_bytes({});
  population.add(polynomial(3));
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, population, cases_of({1}));
  EXPECT_EQ(evaluation.records[0].error, ErrorCode::rejected);
  EXPECT_EQ(evaluation.records[1].error, ErrorCode::rejected);
  EXPECT_EQ(evaluation.records[2].outcome, OutcomeKind::ok);
}

// B14
TEST(Evaluator, MakesRowsOfWhatCannotBeEvaluatedAndLeavesTheOthersAlone) {
  CandidateSet population{polynomial(1),      without_f(),        with_integers(),   importing_a_file(),
                          not_wat(),          loop_for_ever(),    trapping_above(0), polynomial(2),
                          failing_at_start(), with_memory(1'000), recursing(),       leaving(3)};
  population.add_bytes({0x7f, 'E', 'L', 'F'});
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 5'000;
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, population, cases_of({1, 2}), spec);
  const auto& records = evaluation.records;
  EXPECT_THAT(values_of(records[0]), ElementsAre(2, 5));
  EXPECT_EQ(records[1].error, ErrorCode::not_found);
  EXPECT_THAT(records[1].message, AllOf(HasSubstr("\"f\""), HasSubstr("\"g\"")));
  EXPECT_EQ(records[2].error, ErrorCode::validation_failed);
  EXPECT_EQ(records[3].error, ErrorCode::link_error);
  EXPECT_THAT(records[3].message, HasSubstr("path_unlink_file"));
  EXPECT_EQ(records[4].error, ErrorCode::parse_failed);
  EXPECT_EQ(records[5].outcome, OutcomeKind::out_of_fuel);
  EXPECT_EQ(records[5].fuel_used, 2U * 5'000);
  EXPECT_EQ(records[6].outcome, OutcomeKind::trapped);
  EXPECT_EQ(records[6].trap, TrapCode::unreachable);
  EXPECT_THAT(values_of(records[7]), ElementsAre(3, 6));
  EXPECT_EQ(records[8].outcome, OutcomeKind::trapped);
  EXPECT_EQ(records[9].outcome, OutcomeKind::memory_limit);
  EXPECT_EQ(records[10].outcome, OutcomeKind::stack_overflow);
  EXPECT_EQ(records[11].outcome, OutcomeKind::exited);
  EXPECT_EQ(records[11].exit_code, 3);
  EXPECT_EQ(records[12].error, ErrorCode::rejected);
  EXPECT_FALSE(records[12].artifact);
  for (const Record& record : records) EXPECT_NE(record.outcome.has_value(), record.error.has_value());
}

TEST(Evaluator, CallsOneInstanceForAllCasesAndAFreshOneAfterAFailure) {
  const Record all = only_record(summing(1), cases_of({1, 2, 3}));
  EXPECT_THAT(values_of(all), ElementsAre(2, 6, 12));  // the sum, twice
  const std::string counts_and_traps = module_with(
      "(global.set $n (f64.add (global.get $n) (f64.const 1))) (if (f64.lt (local.get 0) (f64.const 0)) (then "
      "unreachable)) "
      "(global.get $n)",
      "", "(global $n (mut f64) (f64.const 0))");
  const Record failed = only_record(counts_and_traps, cases_of({1, 1, -1, 1, 1}));
  EXPECT_THAT(values_of(failed), ElementsAre(1, 2, -1, 1, 2));
  EXPECT_EQ(failed.first_failure, 2U);
  EXPECT_EQ(failed.outcome, OutcomeKind::trapped);
  EXPECT_THAT(failed.kinds,
              ElementsAre(OutcomeKind::ok, OutcomeKind::ok, OutcomeKind::trapped, OutcomeKind::ok, OutcomeKind::ok));
  EXPECT_EQ(failed.value_bits[2], 0U);
}

TEST(Evaluator, GivesEachCaseItsInstanceWhenAskedTo) {
  EvaluationSpec spec = small_spec();
  spec.instances = Instances::per_case;
  EXPECT_THAT(values_of(only_record(summing(1), cases_of({1, 2, 3}), spec)), ElementsAre(2, 4, 6));
}

TEST(Evaluator, LetsTheCasePayForTheInstanceMadeForIt) {
  const std::string text = module_with("(local.get 0)", "", "(func $s (drop (i32.const 1))) (start $s)");
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 3;  // two for the start function, one for f
  EXPECT_EQ(only_record(text, cases_of({1, 2}), spec).fuel_used, 4U);
  spec.fuel_max = 2;
  EXPECT_EQ(only_record(text, cases_of({1, 2}), spec).outcome, OutcomeKind::out_of_fuel);
}

// A function of the host, and making an instance, take time and hardly any fuel: here all cases together longer than
// one may take, each of them far less.
TEST(Evaluator, GivesEachCaseItsTimeHoweverLittleFuelTheOthersUsed) {
  const auto takes_time = [](double x) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) continue;  // a yield would wait for everybody else first
    return x;
  };
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "think", takes_time, {.deterministic = true}));
  Evaluator evaluator(host);
  const std::string text =
      module_with("(call 0 (local.get 0))", "(import \"game\" \"think\" (func (param f64) (result f64)))");
  const std::vector<Case> cases(60, Case{.arguments = {1.0}});
  const EvaluationOptions options{.case_time_max = std::chrono::seconds(1)};
  const Evaluation evaluation = evaluate(evaluator, CandidateSet{text}, cases, small_spec(), options);
  const Record& record = evaluation.records.front();
  EXPECT_EQ(record.outcome, OutcomeKind::ok);
  EXPECT_EQ(record.first_failure, std::nullopt);
  EXPECT_TRUE(record.repeatable);
}

TEST(Evaluator, LeavesOutTheCasesAfterTheFirstFailureWhenAskedTo) {
  EvaluationSpec spec = small_spec();
  spec.stop_at_first_failure = true;
  const Record record = only_record(trapping_above(2), cases_of({1, 2, 3, 1}), spec);
  EXPECT_THAT(record.kinds, ElementsAre(OutcomeKind::ok, OutcomeKind::ok, OutcomeKind::trapped));
  EXPECT_THAT(record.value_bits, SizeIs(3));
  EXPECT_EQ(record.first_failure, 2U);
}

// B13
TEST(Evaluator, RepeatsRandomNumbersByTheSeedAndTimeByTheFuel) {
  EvaluationSpec spec = small_spec();
  const auto cases = cases_of({0, 0});
  const Record first = only_record(random_walk(1), cases, spec);
  EXPECT_EQ(values_of(first), values_of(only_record(random_walk(1), cases, spec)));
  EXPECT_NE(first.value_bits[0], first.value_bits[1]);
  EXPECT_NE(first.value_bits[0], only_record(random_walk(2), cases, spec).value_bits[0])
      << "each artifact has its own chance";
  spec.seed = 8;
  EXPECT_NE(values_of(first), values_of(only_record(random_walk(1), cases, spec)));
  // Each of the turns costs 5: two and a half million are two whole milliseconds.
  EXPECT_THAT(values_of(only_record(watching_the_clock(500'000), cases, spec)), ElementsAre(2, 2));
}

TEST(Evaluator, GivesRandomnessThatDoesNotDependOnTheRow) {
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {polynomial(1), random_walk(4)}, cases_of({0}));
  EXPECT_EQ(evaluation.records[1].value_bits, only_record(random_walk(4), cases_of({0})).value_bits);
}

// B15
TEST(Evaluator, RunsACandidateThatIsGivenTwiceOnce) {
  CandidateSet population{polynomial(1), polynomial(2), polynomial(1), not_wat(), not_wat()};
  population.add_bytes({1, 2, 3});
  population.add_bytes({1, 2, 3});
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, population, cases_of({1}));
  EXPECT_EQ(evaluation.counts.evaluated, 4U);
  EXPECT_EQ(evaluation.counts.repeated, 3U);
  EXPECT_EQ(evaluation.records[2].repeats_row, 0U);
  EXPECT_EQ(evaluation.records[2].row, 2U);
  EXPECT_EQ(evaluation.records[2].value_bits, evaluation.records[0].value_bits);
  EXPECT_EQ(evaluation.records[4].repeats_row, 3U);
  EXPECT_EQ(evaluation.records[6].repeats_row, 5U);
}

// B15
TEST(Evaluator, RemembersRecordsFromOneBatchToTheNextForTheSameSpecOnly) {
  Evaluator evaluator;
  const CandidateSet population{random_walk(1), trapping_above(0), without_f()};
  const auto cases = cases_of({1, 2});
  const EvaluationSpec spec = small_spec();
  const Evaluation first = evaluate(evaluator, population, cases, spec);
  EXPECT_EQ(first.counts.cache_hits, 0U);
  const Evaluation again = evaluate(evaluator, population, cases, spec);
  EXPECT_EQ(again.counts.cache_hits, 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(again.timings[row].cache_hit);
    EXPECT_FALSE(again.records[row].repeats_row);
    EXPECT_EQ(again.records[row].receipt, first.records[row].receipt);
    EXPECT_EQ(again.records[row].value_bits, first.records[row].value_bits);
    EXPECT_EQ(again.records[row].message, first.records[row].message);
  }
  const auto differs = [&](auto change) {
    EvaluationSpec other = spec;
    change(other);
    return evaluate(evaluator, population, cases, other).counts.cache_hits == 0;
  };
  EXPECT_TRUE(differs([](EvaluationSpec& other) { other.seed = 8; }));
  EXPECT_TRUE(differs([](EvaluationSpec& other) { other.function = "g"; }));
  EXPECT_TRUE(differs([](EvaluationSpec& other) { other.fuel_max -= 1; }));
  EXPECT_TRUE(differs([](EvaluationSpec& other) { other.memory_bytes_max *= 2; }));
  EXPECT_TRUE(differs([](EvaluationSpec& other) { other.instances = Instances::per_case; }));
  EXPECT_EQ(evaluate(evaluator, population, cases_of({1, 3}), spec).counts.cache_hits, 0U);
  EXPECT_EQ(evaluate(evaluator, population, cases, spec, {.use_cache = false}).counts.cache_hits, 0U);
  EXPECT_EQ(evaluator.statistics().cache_hits, 3U);
}

TEST(Evaluator, KeepsNoMoreRecordsThanItMay) {
  Evaluator evaluator({}, {.cache_records_max = 20});
  CandidateSet population;
  for (int row = 0; row < 100; ++row) population.add(polynomial(row));
  evaluate(evaluator, population, cases_of({1}));
  EXPECT_LE(evaluator.statistics().cache_records, 20U);
  EXPECT_GT(evaluator.statistics().cache_records, 0U);
}

TEST(Evaluator, ScoresAgainstTargets) {
  EvaluationSpec spec = small_spec();
  spec.targets = {1, 4};
  EXPECT_EQ(only_record(polynomial(1), cases_of({0, 2}), spec).score, 1.0);  // gives 1 and 5
  EXPECT_TRUE(std::isnan(*only_record(trapping_above(1), cases_of({0, 2}), spec).score));
  EXPECT_FALSE(only_record(without_f(), cases_of({0, 2}), spec).score);
}

TEST(Evaluator, AsksTheScorerOnceForEachCandidateThatRan) {
  Evaluator evaluator;
  std::atomic<int> calls{0};
  EvaluationOptions options;
  options.scorer = [&](std::size_t row, std::span<const CaseView> cases) {
    ++calls;
    return static_cast<double>(row) * 100 + Value::from_bits(ValueType::f64, cases[1].value_bits[0]).f64() +
           static_cast<double>(cases[0].output.size());
  };
  const CandidateSet population{polynomial(1), polynomial(1), writing(2), without_f()};
  for (int round = 0; round < 2; ++round) {  // the second time from the cache, where outputs are not kept
    calls = 0;
    const Evaluation evaluation = evaluate(evaluator, population, cases_of({0, 2}), small_spec(), options);
    EXPECT_EQ(evaluation.records[0].score, 5.0);
    EXPECT_EQ(evaluation.records[1].score, 5.0);
    EXPECT_EQ(evaluation.records[2].score, 200.0 + 2 + 16);
    EXPECT_FALSE(evaluation.records[3].score);
    EXPECT_EQ(calls, 2);
  }
}

TEST(Evaluator, MakesARowOfAScorerThatThrows) {
  Evaluator evaluator;
  EvaluationOptions options;
  options.scorer = [](std::size_t row, std::span<const CaseView>) -> double {
    if (row == 1) throw std::runtime_error("no idea");
    if (row == 2) throw 5;
    return 1;
  };
  const Evaluation evaluation = evaluate(evaluator, {polynomial(1), polynomial(2), polynomial(3), polynomial(4)},
                                         cases_of({0}), small_spec(), options);
  EXPECT_EQ(evaluation.records[0].score, 1.0);
  EXPECT_EQ(evaluation.records[1].error, ErrorCode::host_fault);
  EXPECT_THAT(evaluation.records[1].message, HasSubstr("no idea"));
  EXPECT_FALSE(evaluation.records[1].repeatable);
  EXPECT_EQ(evaluation.records[2].error, ErrorCode::host_fault);
  EXPECT_EQ(evaluation.records[3].score, 1.0);
}

}  // namespace
}  // namespace petri
