// Evaluations that end early, and the progress they report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

CandidateSet polynomials(int rows) {
  CandidateSet population;
  for (int row = 0; row < rows; ++row) population.add(polynomial(row));
  return population;
}

std::size_t count_done(const Evaluation& evaluation) {
  std::size_t done = 0;
  for (const Record& record : evaluation.records) done += record.error != ErrorCode::cancelled ? 1 : 0;
  return done;
}

// B18
TEST(Cancellation, KeepsWhatIsDoneAndFreesTheWorkers) {
  Evaluator evaluator;
  CandidateSet population = polynomials(100);
  for (int row = 0; row < 4; ++row) population.add(loop_for_ever(row));
  for (int row = 100; row < 200; ++row) population.add(polynomial(row));
  EvaluationSpec spec = small_spec();
  spec.fuel_max = std::uint64_t{1} << 62;
  std::stop_source source;
  EvaluationOptions options{.workers = 2, .case_time_max = std::chrono::hours(1)};
  options.stop = source.get_token();
  std::atomic<int> seen{0};
  // A worker that continues after the first hundred runs into endless loops, or returns rows that do not count here.
  options.enough = [&](const Record& record) {
    if (record.row < 100 && ++seen == 100) source.request_stop();
    return false;
  };
  const Evaluation evaluation = evaluate(evaluator, population, cases_of({1}), spec, options);
  EXPECT_GE(count_done(evaluation), 100U);
  EXPECT_EQ(evaluation.counts.cancelled, evaluation.records.size() - count_done(evaluation));
  EXPECT_EQ(evaluation.records[100].error, ErrorCode::cancelled);
  EXPECT_FALSE(evaluation.records[100].receipt);
  EXPECT_FALSE(evaluation.records[100].artifact);
  for (int row = 0; row < 100; ++row)
    EXPECT_EQ(evaluation.records[static_cast<std::size_t>(row)].outcome, OutcomeKind::ok) << row;
  EXPECT_EQ(count_done(evaluate(evaluator, polynomials(100), cases_of({2}))), 100U) << "the next call has its workers";
}

TEST(Cancellation, BeforeItStartsCancelsAll) {
  Evaluator evaluator;
  std::stop_source source;
  source.request_stop();
  EvaluationOptions options;
  options.stop = source.get_token();
  const Evaluation evaluation = evaluate(evaluator, polynomials(50), cases_of({1}), small_spec(), options);
  EXPECT_EQ(evaluation.counts.cancelled, 50U);
  EXPECT_EQ(evaluation.counts.done(), 0U);
}

// B20: what a stopped evaluation leaves is whole and verifies.
TEST(Cancellation, LeavesWholeLinesThatVerify) {
  const TestFile file;
  auto writer = *RecordsWriter::create(file.path());
  Evaluator evaluator;
  CandidateSet population;
  for (int row = 0; row < 1'000; ++row) {
    population.add(polynomial(row % 700));
    if (row % 97 == 50) population.add(loop_for_ever(row));
  }
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 1'000'000;
  EvaluationOptions options{.workers = 2};
  std::atomic<int> seen{0};
  options.enough = [&](const Record&) { return ++seen == 400; };
  options.records = writer.get();
  const Evaluation first = evaluate(evaluator, population, cases_of({1}), spec, options);
  EXPECT_GT(first.counts.cancelled, 0U);
  // Rows are counted on in the next evaluation, whatever the first left out.
  options.enough = nullptr;
  const Evaluation second = evaluate(evaluator, polynomials(10), cases_of({1}), spec, options);
  ASSERT_TRUE(writer->close());
  const auto stored = read_records(file.path());
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->records.size(), count_done(first) + 10);
  EXPECT_EQ(stored->records.back().record.row, first.records.size() + 9);
  for (const StoredRecord& one : stored->records) EXPECT_NE(one.record.error, ErrorCode::cancelled);
  const auto verification = verify(file.path());
  ASSERT_TRUE(verification);
  EXPECT_FALSE(verification->difference) << verification->difference->field;
  EXPECT_EQ(verification->verified, stored->records.size());
}

// Evaluates until the process is killed in the midst of it.
void evaluate_and_die(const std::string& path) {
  auto writer = *RecordsWriter::create(path);
  Evaluator evaluator;
  EvaluationOptions options{.workers = 1};
  std::atomic<int> seen{0};
  options.enough = [&](const Record&) { return ++seen == 3'000 ? std::raise(SIGKILL) == 0 : false; };
  options.records = writer.get();
  evaluate(evaluator, polynomials(4'000), cases_of({1}), small_spec(), options);
}

// B20: nothing was tidied up.
TEST(KilledEvaluationDeathTest, LeavesWholeLinesThatVerify) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const TestFile file;
  EXPECT_EXIT(evaluate_and_die(file.path()), testing::KilledBySignal(SIGKILL), "");
  const auto verification = verify(file.path());
  ASSERT_TRUE(verification) << verification.error().message;
  EXPECT_FALSE(verification->difference);
  EXPECT_GT(verification->verified, 100U);
  EXPECT_LT(verification->verified, 3'000U);
}

TEST(Cancellation, OfARepeatedRowsFirstCancelsTheRepeatedToo) {
  Evaluator evaluator;
  EvaluationSpec spec = small_spec();
  spec.fuel_max = std::uint64_t{1} << 62;
  std::stop_source source;
  EvaluationOptions options{.workers = 1, .case_time_max = std::chrono::hours(1)};
  options.stop = source.get_token();
  options.enough = [&](const Record&) { return source.request_stop(), false; };
  const Evaluation evaluation = evaluate(evaluator, {polynomial(1), loop_for_ever(), loop_for_ever(), polynomial(1)},
                                         cases_of({1}), spec, options);
  EXPECT_EQ(evaluation.records[0].outcome, OutcomeKind::ok);
  EXPECT_EQ(evaluation.records[1].error, ErrorCode::cancelled);
  EXPECT_EQ(evaluation.records[2].error, ErrorCode::cancelled);
  EXPECT_EQ(evaluation.records[3].outcome, OutcomeKind::ok);
  EXPECT_EQ(evaluation.records[3].repeats_row, 0U);
}

TEST(Enough, EndsTheEvaluationWhenItHasSeenWhatItLookedFor) {
  Evaluator evaluator;
  EvaluationSpec spec = small_spec();
  spec.targets = {5};
  EvaluationOptions options{.workers = 2};
  options.enough = [](const Record& record) { return record.score == 0.0; };
  const Evaluation evaluation = evaluate(evaluator, polynomials(5'000), cases_of({2}), spec, options);
  EXPECT_EQ(evaluation.records[1].score, 0.0);
  EXPECT_GT(evaluation.counts.cancelled, 4'000U);
}

// B19
TEST(Progress, NeverFallsAndEndsWithAll) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    Evaluator evaluator;
    std::vector<Progress> reported;
    EvaluationOptions options{.workers = workers};
    options.on_progress = [&](const Progress& progress) { reported.push_back(progress); };
    const Evaluation evaluation =
        evaluate(evaluator, CandidateSet::mixed(120), cases_of({0, 1}), small_spec(), options);
    ASSERT_FALSE(reported.empty());
    for (std::size_t index = 1; index < reported.size(); ++index)
      EXPECT_GE(reported[index].done, reported[index - 1].done);
    EXPECT_EQ(reported.back().done, 120U);
    EXPECT_EQ(reported.back().total, 120U);
    std::size_t ok = 0;
    for (const Record& record : evaluation.records) ok += record.outcome == OutcomeKind::ok ? 1 : 0;
    EXPECT_EQ(reported.back().of(OutcomeKind::ok), ok);
  }
}

// B19
TEST(Progress, DoesNoHarmWhenItThrows) {
  Evaluator evaluator;
  int calls = 0;
  EvaluationOptions options;
  options.on_progress = [&](const Progress&) {
    ++calls;
    throw std::runtime_error("the terminal is gone");
  };
  options.enough = [](const Record&) -> bool { throw 1; };
  EXPECT_EQ(count_done(evaluate(evaluator, polynomials(500), cases_of({1}), small_spec(), options)), 500U);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace petri
