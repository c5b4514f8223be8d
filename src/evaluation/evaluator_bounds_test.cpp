//
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atomic>
#include <limits>
#include <thread>

#include "engine/fault_injection.h"
#include "evaluation/evaluator_fixture.h"
#include "petri/evaluate.h"

namespace petri {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Evaluator, RefusesASpecThatCannotBeMeant) {
  Evaluator evaluator;
  const auto problem = [&](std::span<const Case> cases, const EvaluationSpec& spec) {
    const auto evaluation = evaluator.evaluate(CandidateSet{polynomial(1)}.candidates(), cases, spec);
    EXPECT_FALSE(evaluation);
    EXPECT_EQ(evaluation.error().code, ErrorCode::validation_failed);
    return evaluation ? "" : evaluation.error().message;
  };
  EvaluationSpec spec = small_spec();
  std::vector<Case> cases = cases_of({1, 2, 3});
  cases[2].arguments.push_back(Value(1));
  EXPECT_THAT(problem(cases, spec), AllOf(HasSubstr("case 2"), HasSubstr("(f64 i32)"), HasSubstr("(f64)")));
  EXPECT_THAT(problem({}, spec), HasSubstr("no case"));
  spec.targets = {1, std::numeric_limits<double>::quiet_NaN()};
  spec.fuel_max = 0;
  spec.function = "";
  EXPECT_THAT(problem(cases_of({1}), spec), AllOf(HasSubstr("target 1"), HasSubstr("2 targets for 1 cases"),
                                                  HasSubstr("fuel_max"), HasSubstr("no name")));
}

TEST(Evaluator, RefusesMoreWorkersThanThereMayBe) {
  Evaluator evaluator;
  const auto evaluation =
      evaluator.evaluate(CandidateSet{polynomial(1)}.candidates(), cases_of({1}), small_spec(), {.workers = 1'025});
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(evaluation.error().message, HasSubstr("1025 workers are asked for and 1024 allowed"));
}

TEST(Evaluator, AnswersForACandidateWithoutAnArtifact) {
  const std::vector<Candidate> candidates{Candidate::artifact(nullptr)};
  Evaluator evaluator;
  const auto evaluation = evaluator.evaluate(candidates, cases_of({1}), small_spec());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->records[0].error, ErrorCode::validation_failed);
  EXPECT_EQ(evaluation->records[0].message, "there is no artifact to evaluate");
}

TEST(Evaluator, OffersDeterministicFunctionsOfTheEmbeddersOnly) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "twice", [](double x) { return 2 * x; }, {.deterministic = true}));
  ASSERT_TRUE(host.define("game", "guess", [](double x) { return x; }));
  Evaluator evaluator(host);
  const auto calling = [](std::string_view name) {
    return module_with("(call 0 (local.get 0))",
                       fmt::format("(import \"game\" \"{}\" (func (param f64) (result f64)))", name));
  };
  const Evaluation evaluation = evaluate(evaluator, {calling("twice"), calling("guess")}, cases_of({4}));
  EXPECT_THAT(values_of(evaluation.records[0]), ElementsAre(8));
  EXPECT_EQ(evaluation.records[1].error, ErrorCode::link_error);
  EXPECT_THAT(evaluation.records[1].message, AllOf(HasSubstr("guess"), HasSubstr("not deterministic")));
}

// A panic of the interpreter's is not the candidate's doing: the other engine gives the answer.
TEST(Evaluator, TurnsToTheCompiledTierWhenTheInterpreterFails) {
  HostFunctions host;
  std::atomic<bool> armed{true};
  ASSERT_TRUE(host.define("test", "break",
                          [&] {
                            if (armed.exchange(false)) panic_at_next(EngineStep::call);
                          },
                          {.deterministic = true}));
  Evaluator evaluator(host);
  const std::string text = module_with("(call 0) (local.get 0)", "(import \"test\" \"break\" (func))");
  const Evaluation evaluation =
      evaluate(evaluator, {text}, cases_of({1, 2}), small_spec(), {.workers = 1, .tier = Tier::interpreted});
  EXPECT_FALSE(armed);
  EXPECT_THAT(values_of(evaluation.records[0]), ElementsAre(1, 2));
  EXPECT_EQ(evaluation.timings[0].tier, Tier::compiled);
}

TEST(Evaluator, ReadsInputAndBytes) {
  const std::string text =
      R"((module (import "petri" "input_size" (func (result i32))) (func (export "f") (result i32) (call 0))))";
  Evaluator evaluator;
  const std::vector<Case> cases{{.input = "abc"}, {.input = ""}, {.input = std::string(100'000, 'x')}};
  const Evaluation evaluation = evaluate(evaluator, {text}, cases);
  EXPECT_THAT(evaluation.records[0].value_bits, ElementsAre(3, 0, 100'000));
}

TEST(Evaluator, RefusesModulesThatAreTooLargeHoweverTheyCome) {
  EvaluationSpec spec = small_spec();
  spec.module_bytes_max = 1'024;
  const std::string large =
      module_with("(local.get 0)", "", fmt::format("(memory 1) (data (i32.const 0) \"{}\")", std::string(2'000, 'x')));
  const ArtifactPtr artifact = *Artifact::from_wat(large, 1 << 20);
  const std::vector<Candidate> candidates{Candidate::artifact(artifact), Candidate::wasm(artifact->bytes()),
                                          Candidate::wat(large)};
  Evaluator evaluator;
  const auto evaluation = evaluator.evaluate(candidates, cases_of({1}), spec);
  ASSERT_TRUE(evaluation);
  for (const Record& record : evaluation->records) EXPECT_EQ(record.error, ErrorCode::module_too_large);
}

TEST(Evaluator, AnswersForCandidatesThatWereNotReadWithTheirError) {
  const Error why{.code = ErrorCode::module_too_large, .message = "the module is too large", .details = {}};
  const std::string text = polynomial(3);
  const std::vector<Candidate> candidates{Candidate::unread(why), Candidate::wat(text), Candidate::unread(why)};
  Evaluator evaluator;
  const auto evaluation = evaluator.evaluate(candidates, cases_of({1}), small_spec());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->records[0].error, ErrorCode::module_too_large);
  EXPECT_EQ(evaluation->records[0].message, "the module is too large");
  EXPECT_EQ(evaluation->records[1].outcome, OutcomeKind::ok);
  EXPECT_EQ(evaluation->records[2].error, ErrorCode::module_too_large);
  EXPECT_FALSE(evaluation->records[2].repeats_row);
}

// The cases are the caller's choice, the results of a function are the candidate's.
TEST(Evaluator, KeepsNoMoreValuesOfARowThanItsMemoryAllows) {
  const std::string three =
      "(module (func (export \"f\") (param f64) (result f64 f64 f64) (local.get 0) (local.get 0) (local.get 0)))";
  EvaluationSpec spec = small_spec();
  spec.memory_bytes_max = 65'536;
  const std::vector<Case> cases(10'000, Case{.arguments = {Value(1.0)}});
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    const Record refused = only_record(three, cases, spec, {.tier = tier});
    EXPECT_EQ(refused.error, ErrorCode::too_large);
    EXPECT_EQ(refused.message, "the 3 values of 10000 cases take 240000 bytes and memory_bytes_max allows 65536");
    EXPECT_TRUE(refused.repeatable);
    EXPECT_TRUE(refused.receipt);
    EXPECT_EQ(only_record(polynomial(1), cases, spec, {.tier = tier}).outcome, OutcomeKind::ok);
    EXPECT_EQ(only_record(three, std::span(cases).first(2'730), spec, {.tier = tier}).outcome, OutcomeKind::ok);
  }
}

TEST(Evaluator, KeepsNoMoreOutputForAScorerThanSixteenTimesTheMemory) {
  EvaluationSpec spec = small_spec();
  spec.memory_bytes_max = 131'072;
  const std::vector<Case> cases(600, Case{.arguments = {Value(1.0)}});
  const auto scorer = [](std::size_t, std::span<const CaseView>) { return 1.0; };
  const Record refused = only_record(writing(512), cases, spec, {.scorer = scorer});
  EXPECT_EQ(refused.error, ErrorCode::host_fault);
  EXPECT_EQ(
      refused.message,
      "the outputs of all cases take more than 2097152 bytes, 16 times memory_bytes_max, which a scorer is not given");
  EXPECT_FALSE(refused.repeatable);
  EXPECT_EQ(only_record(writing(400), cases, spec, {.scorer = scorer}).score, 1.0);
  EXPECT_EQ(only_record(writing(512), cases, spec).outcome, OutcomeKind::ok);
}

// Many evaluations at once share threads, caches and compiled code.
TEST(Evaluator, ServesSeveralCallersAtOnce) {
  Evaluator evaluator;
  const CandidateSet population = CandidateSet::mixed(40);
  const auto cases = cases_of({0, 0.5, 1});
  const auto receipts = [&] {
    std::vector<std::optional<Sha256>> list;
    for (const Record& record : evaluate(evaluator, population, cases, small_spec(), {.workers = 2}).records)
      list.push_back(record.receipt);
    return list;
  };
  const auto expected = receipts();
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) callers.emplace_back([&] { EXPECT_EQ(receipts(), expected); });
}

// B21, as far as evaluations go.
TEST(Evaluator, RunsNoMoreCandidatesAtOnceThanItHasWorkers) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  HostFunctions host;
  ASSERT_TRUE(host.define("test", "meet",
                          [&](double x) {
                            const int now = ++running;
                            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
                            std::this_thread::yield();
                            --running;
                            return x;
                          },
                          {.deterministic = true}));
  Evaluator evaluator(host);
  CandidateSet population;
  for (int row = 0; row < 500; ++row) {
    population.add(module_with(fmt::format("(f64.add (call 0 (local.get 0)) (f64.const {}))", row),
                               "(import \"test\" \"meet\" (func (param f64) (result f64)))"));
  }
  const Evaluation evaluation = evaluate(evaluator, population, cases_of({1, 2, 3}), small_spec(), {.workers = 3});
  EXPECT_EQ(evaluation.counts.evaluated, 500U);
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace petri
