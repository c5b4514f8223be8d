// Candidates that are called by a harness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// run : (f64) -> f64 is this body; $f is the candidate's, x is (local.get 0).
std::string harness_with(std::string_view body, std::string_view before = "", std::string_view after = "") {
  return fmt::format(R"((module (import "candidate" "f" (func $f (param f64) (result f64))) {}
      (func (export "run") (param f64) (result f64) (local i32) {}) {}))",
                     before, body, after);
}

// f(x) + f(2x)
std::string adding() {
  return harness_with("(f64.add (call $f (local.get 0)) (call $f (f64.mul (local.get 0) (f64.const 2))))");
}

// Counts its calls in memory and in a global, and adds both to what the candidate gives.
std::string counting(std::string_view extra = "", std::string_view after = "") {
  return harness_with(fmt::format(R"((global.set $n (f64.add (global.get $n) (f64.const 1)))
        (f64.store (i32.const 8) (f64.add (f64.load (i32.const 8)) (f64.const 1))) {}
        (f64.add (call $f (local.get 0)) (f64.add (global.get $n) (f64.load (i32.const 8)))))",
                                  extra),
                      "", fmt::format("(memory 1) (global $n (mut f64) (f64.const 0)) {}", after));
}

ArtifactPtr artifact_of(const std::string& text) {
  auto artifact = Artifact::from_wat(text, 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return artifact ? *artifact : nullptr;
}

EvaluationSpec spec_with(const std::string& harness) {
  EvaluationSpec spec = small_spec();
  spec.function = "run";
  spec.harness = artifact_of(harness);
  return spec;
}

std::vector<double> harness_values(const Record& record) {
  std::vector<double> values;
  for (std::size_t number = 0; number < record.kinds.size(); ++number) {
    values.push_back(record.value(number).value_or(Value(-1.0)).f64());
  }
  return values;
}

// Compilations begin at once, so that candidates change their tier in mid-run.
EvaluatorOptions eager_promotion() { return {.promote_fuel = 1, .promote_fuel_per_byte = 0}; }

// ---- calls ------------------------------------------------------------------------------------------------------

// B22
TEST(Harness, IsCalledInPlaceOfTheCandidates) {
  EvaluationSpec spec = spec_with(adding());
  spec.targets = {7, 22};
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {polynomial(0), polynomial(1)}, cases_of({1, 2}), spec);
  EXPECT_THAT(harness_values(evaluation.records[0]), ElementsAre(5, 20));
  EXPECT_THAT(harness_values(evaluation.records[1]), ElementsAre(7, 22));
  EXPECT_EQ(evaluation.records[0].score, 8);
  EXPECT_EQ(evaluation.records[1].score, 0);
  EXPECT_EQ(evaluation.records[1].artifact, artifact_of(polynomial(1))->id()) << "the record is the candidate's";
}

TEST(Harness, HasTheHostsFunctionsToo) {
  const std::string cosine = R"((import "math" "cos" (func $cos (param f64) (result f64))))";
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {polynomial(0)}, cases_of({0}),
                                         spec_with(harness_with("(call $cos (call $f (local.get 0)))", cosine)));
  EXPECT_THAT(harness_values(evaluation.records[0]), ElementsAre(1));
}

TEST(Harness, MayCatchNothingOfWhatEndsACandidate) {
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {trapping_above(3), leaving(9), loop_for_ever(), recursing()},
                                         cases_of({2, 1}), spec_with(adding()));
  EXPECT_EQ(evaluation.records[0].trap, TrapCode::unreachable);
  EXPECT_THAT(evaluation.records[0].kinds, ElementsAre(OutcomeKind::trapped, OutcomeKind::ok));
  EXPECT_EQ(evaluation.records[1].exit_code, 9);
  EXPECT_EQ(evaluation.records[2].outcome, OutcomeKind::out_of_fuel);
  EXPECT_EQ(evaluation.records[3].outcome, OutcomeKind::stack_overflow);
}

// ---- rows that do not fit ---------------------------------------------------------------------------------------

TEST(Harness, MakesARowOfACandidateThatLacksWhatItImports) {
  const std::string wanting =
      module_with("(call 0 (local.get 0))", R"((import "candidate" "f" (func (param f64) (result f64))))");
  Evaluator evaluator;
  const Evaluation evaluation =
      evaluate(evaluator, {without_f(), polynomial(1), with_integers(), wanting, importing_a_file()}, cases_of({1}),
               spec_with(adding()));
  EXPECT_EQ(evaluation.records[1].outcome, OutcomeKind::ok);
  for (const std::size_t row : {0, 2, 3, 4}) EXPECT_EQ(evaluation.records[row].error, ErrorCode::link_error) << row;
  EXPECT_EQ(evaluation.records[0].message,
            "the module harness: the import \"candidate\".\"f\" is offered by nobody: the module candidate exports no "
            "such function");
  EXPECT_EQ(evaluation.records[2].message,
            "the module harness: the import \"candidate\".\"f\" is a function of type (f64) -> f64, but the module "
            "candidate exports one of type (i32) -> i32");
  EXPECT_THAT(evaluation.records[3].message, StartsWith("the import \"candidate\".\"f\" (a function"))
      << "a candidate has no neighbour";
  EXPECT_TRUE(evaluation.records[0].receipt) << "anyone would find the same";
}

struct BadHarness {
  std::string text;
  ErrorCode code;
  std::string message;
};

TEST(Harness, ThatIsBadItselfEndsTheEvaluation) {
  const std::vector<BadHarness> all{
      {harness_with("(local.get 0)", R"((import "other" "g" (func)))"), ErrorCode::link_error,
       "the harness: the import \"other\".\"g\" (a function of type () -> ()) is offered by nobody: a harness imports "
       "from "
       "the host and from \"candidate\""},
      {harness_with("(local.get 0)", R"((import "candidate" "memory" (memory 1)))"), ErrorCode::link_error,
       "the harness: the import \"candidate\".\"memory\""},
      {harness_with("(local.get 0)", R"((import "candidate" "g" (func (param funcref))))"), ErrorCode::link_error,
       "passes references"},
      {harness_with("(local.get 0)", R"((import "petri" "sin" (func)))"), ErrorCode::link_error, "\"petri\".\"sin\""},
      {harness_with("(local.get 0)", R"((import "game" "guess" (func (param f64) (result f64))))"),
       ErrorCode::link_error, "is not deterministic"},
      {"(module (func (export \"run\") (param f64) (result f64) (local.get 0)))", ErrorCode::validation_failed,
       "the harness: it imports nothing from \"candidate\", so it would never call one"},
      {R"((module (import "candidate" "f" (func (param f64) (result f64))) (func (export "go"))))",
       ErrorCode::not_found, "the harness: the module has no function \"run\"; it exports \"go\""},
      {R"((module (import "candidate" "f" (func (param f64) (result f64))) (func (export "run") (param i32))))",
       ErrorCode::validation_failed,
       "the harness: the function \"run\" of type (i32) -> () cannot be called like this"},
  };
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "guess", [](double x) { return x; }));
  Evaluator evaluator(host);
  const CandidateSet population{polynomial(0)};
  for (const BadHarness& bad : all) {
    const auto evaluation = evaluator.evaluate(population.candidates(), cases_of({1}), spec_with(bad.text));
    ASSERT_FALSE(evaluation) << bad.text;
    EXPECT_EQ(evaluation.error().code, bad.code) << bad.text;
    EXPECT_THAT(evaluation.error().message, HasSubstr(bad.message));
  }
}

TEST(Harness, IsHeldToTheSizeOfAModule) {
  const std::string data = fmt::format("(memory 1) (data (i32.const 0) \"{}\")", std::string(5'000, 'x'));
  EvaluationSpec spec = spec_with(harness_with("(call $f (local.get 0))", "", data));
  spec.module_bytes_max = spec.harness.artifact()->bytes().size() - 1;
  const CandidateSet population{polynomial(0)};
  Evaluator evaluator;
  const auto evaluation = evaluator.evaluate(population.candidates(), cases_of({1}), spec);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, ErrorCode::module_too_large);
}

TEST(Harness, DoesNotTakeTheHostForTheCandidate) {
  HostFunctions host;
  ASSERT_TRUE(host.define("candidate", "f", [](double x) { return x; }, {.deterministic = true}));
  const CandidateSet population{polynomial(0)};
  Evaluator evaluator(host);
  const auto evaluation = evaluator.evaluate(population.candidates(), cases_of({1}), spec_with(adding()));
  ASSERT_FALSE(evaluation);
  EXPECT_THAT(evaluation.error().message, HasSubstr("the host has a module \"candidate\" too"));
}

// ---- one account ------------------------------------------------------------------------------------------------

// B22
TEST(Harness, SharesItsFuelWithTheCandidate) {
  EvaluationSpec spec = spec_with(adding());
  Evaluator evaluator;
  const CandidateSet population{busy(1'000)};
  const std::uint64_t fuel = evaluate(evaluator, population, cases_of({1}), spec).records[0].fuel_used;
  EXPECT_GT(fuel, 2 * 5 * 1'000U);
  spec.fuel_max = fuel;
  EXPECT_EQ(evaluate(evaluator, population, cases_of({1}), spec).records[0].outcome, OutcomeKind::ok);
  spec.fuel_max = fuel - 1;
  EXPECT_EQ(evaluate(evaluator, population, cases_of({1}), spec).records[0].outcome, OutcomeKind::out_of_fuel);
}

TEST(Harness, SharesItsMemoryWithTheCandidate) {
  EvaluationSpec spec = spec_with(harness_with("(call $f (local.get 0))", "", "(memory 3)"));
  spec.memory_bytes_max = 5 * 65'536;
  Evaluator evaluator;
  const Evaluation evaluation = evaluate(evaluator, {with_memory(2), with_memory(3), growing(0)}, cases_of({1}), spec);
  EXPECT_EQ(evaluation.records[0].outcome, OutcomeKind::ok);
  EXPECT_EQ(evaluation.records[0].memory_peak_bytes, 5 * 65'536U);
  EXPECT_EQ(evaluation.records[1].outcome, OutcomeKind::memory_limit);
  EXPECT_THAT(harness_values(evaluation.records[2]), ElementsAre(2)) << "as many pages as the harness leaves";
}

// B22
TEST(Harness, BecomesFreshTogetherWithTheCandidate) {
  const CandidateSet population{summing(1), trapping_above(1.5)};
  EvaluationSpec spec = spec_with(counting());
  Evaluator evaluator;
  const Evaluation kept = evaluate(evaluator, population, cases_of({1, 2, 1}), spec);
  EXPECT_THAT(harness_values(kept.records[0]), ElementsAre(2 + 2, 6 + 4, 8 + 6));
  EXPECT_THAT(harness_values(kept.records[1]), ElementsAre(1 + 2, -1, 1 + 2)) << "after a trap both begin anew";
  spec.instances = Instances::per_case;
  EXPECT_THAT(harness_values(evaluate(evaluator, population, cases_of({1, 2, 1}), spec).records[0]),
              ElementsAre(2 + 2, 4 + 2, 2 + 2));
}

// ---- determinism ------------------------------------------------------------------------------------------------

const std::string& expected_harness_file() {
  static const std::string file = [] {
    Evaluator evaluator;
    return records_of(evaluator, CandidateSet::mixed(40), cases_of({-1, 0, 0.25, 0.5, 1, 2}), spec_with(counting()),
                      {.workers = 1, .tier = Tier::interpreted});
  }();
  return file;
}

class HarnessRecordsTest : public testing::TestWithParam<std::tuple<unsigned, Tier>> {};

// B11 B12
TEST_P(HarnessRecordsTest, AreTheSameToTheByte) {
  const auto [workers, tier] = GetParam();
  Evaluator evaluator({}, eager_promotion());
  const std::string file = records_of(evaluator, CandidateSet::mixed(40), cases_of({-1, 0, 0.25, 0.5, 1, 2}),
                                      spec_with(counting()), {.workers = workers, .tier = tier});
  EXPECT_GT(file.size(), 10'000U);
  EXPECT_TRUE(file == expected_harness_file());
}

INSTANTIATE_TEST_SUITE_P(WorkersAndTiers, HarnessRecordsTest,
                         testing::Combine(testing::Values(1U, 8U),
                                          testing::Values(Tier::interpreted, Tier::compiled, Tier::automatic)));

// Busy for sixty cases; one of them holds something.
class HarnessTiersTest : public testing::Test {
 protected:
  HarnessTiersTest() {
    for (int number = 0; number < 60; ++number) cases_.push_back({.arguments = {Value(0.5 * number)}});
    spec_.memory_bytes_max = 16 << 20;
  }
  Evaluation run(Evaluator& evaluator, Tier tier) const {
    return evaluate(evaluator, population_, cases_, spec_, {.tier = tier, .use_cache = false});
  }
  void expect_same(const Evaluation& evaluation) {
    Evaluator plain;
    if (interpreted_.records.empty()) interpreted_ = run(plain, Tier::interpreted);
    for (std::size_t row = 0; row < population_.size(); ++row) {
      EXPECT_EQ(evaluation.records[row].receipt, interpreted_.records[row].receipt);
      EXPECT_EQ(evaluation.records[row].memory_peak_bytes, interpreted_.records[row].memory_peak_bytes);
    }
  }
  // When a compilation is done is the machine's: evaluators are tried until one has moved all in mid-run.
  template <typename Prepare>
  std::size_t promoted(Prepare prepare) {
    std::size_t count = 0;
    for (int attempt = 0; attempt < 50 && count < population_.size(); ++attempt) {
      Evaluator evaluator({}, eager_promotion());
      prepare(evaluator);
      const Evaluation evaluation = run(evaluator, Tier::automatic);
      expect_same(evaluation);
      count = evaluation.counts.promoted;
    }
    return count;
  }
  // Likewise, but one evaluator until the first has been compiled.
  bool is_compiled_in_time(Evaluator& evaluator) const {
    for (int attempt = 0; attempt < 50; ++attempt) {
      if (run(evaluator, Tier::automatic).timings[0].tier == Tier::compiled) return true;
    }
    return false;
  }

  CandidateSet population_{summing(100'000), busy(100'000)};
  std::vector<Case> cases_;
  EvaluationSpec spec_ = spec_with(counting());
  Evaluation interpreted_;
};

// B12: both move, with what they hold.
TEST_F(HarnessTiersTest, ArePassedByBothTogether) {
  EXPECT_EQ(promoted([](Evaluator&) {}), 2U);
}

TEST_F(HarnessTiersTest, WaitForTheHarnessWhereTheCandidateWasCompiledBefore) {
  EXPECT_EQ(promoted([this](Evaluator& evaluator) {
              evaluate(evaluator, population_, cases_of({1}), small_spec(), {.tier = Tier::compiled});
            }),
            2U);
}

TEST_F(HarnessTiersTest, BeginCompiledWhereBothWereBefore) {
  Evaluator evaluator({}, eager_promotion());
  expect_same(run(evaluator, Tier::compiled));
  const Evaluation evaluation = run(evaluator, Tier::automatic);
  expect_same(evaluation);
  for (const Timing& timing : evaluation.timings) EXPECT_EQ(timing.tier, Tier::compiled);
  EXPECT_EQ(evaluation.counts.promoted, 0U);
  EXPECT_EQ(evaluator.statistics().compiled_modules, 2U) << "the candidates";
}

TEST_F(HarnessTiersTest, StayAsTheyAreWhereTheHarnessCannotBeMoved) {
  population_ = {busy(100'000)};
  spec_ = spec_with(
      counting("(table.set $t (i32.const 0) (ref.func $g)) ", "(table $t 1 funcref) (elem declare func $g) (func $g)"));
  Evaluator evaluator({}, eager_promotion());
  EXPECT_EQ(run(evaluator, Tier::automatic).timings[0].tier, Tier::interpreted);
  spec_.instances = Instances::per_case;
  EXPECT_TRUE(is_compiled_in_time(evaluator)) << "a fresh instance uses what is there";
}

// Code compiled for a harness has imports that only a harness may have, so no candidate may be given it.
TEST_F(HarnessTiersTest, DoNotMakeAHarnessACandidate) {
  Evaluator evaluator({}, eager_promotion());
  ASSERT_TRUE(is_compiled_in_time(evaluator));
  EvaluationSpec spec = small_spec();
  spec.function = "run";
  EXPECT_EQ(evaluate(evaluator, {counting()}, cases_, spec).records[0].error, ErrorCode::link_error);
}

// ---- records and cache ------------------------------------------------------------------------------------------

TEST(Harness, IsPartOfWhatACachedRecordIsOf) {
  const CandidateSet population{polynomial(1)};
  const EvaluationSpec added = spec_with(adding()), counted = spec_with(counting());
  Evaluator evaluator;
  const Evaluation first = evaluate(evaluator, population, cases_of({1}), added);
  const Evaluation other = evaluate(evaluator, population, cases_of({1}), counted);
  EXPECT_EQ(other.counts.cache_hits, 0U);
  EXPECT_NE(other.records[0].receipt, first.records[0].receipt);
  const Evaluation again = evaluate(evaluator, population, cases_of({1}), spec_with(adding()));
  EXPECT_EQ(again.counts.cache_hits, 1U);
  EXPECT_EQ(again.records[0].receipt, first.records[0].receipt);
}

class HarnessFileTest : public testing::Test {
 protected:
  HarnessFileTest() {
    Evaluator evaluator;
    file_.write(records_of(evaluator, CandidateSet::mixed(40), cases_of({0, 1}), spec_, {}));
  }
  void replace(const std::string& text, const std::string& by) {
    std::string all = file_.read();
    const auto place = all.find(text);
    ASSERT_NE(place, std::string::npos) << text;
    file_.write(all.replace(place, text.size(), by));
  }

  const EvaluationSpec spec_ = spec_with(counting());
  const TestFile file_{"harness"};
};

TEST_F(HarnessFileTest, HoldsTheHarnessItself) {
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->header.spec, spec_);
  EXPECT_TRUE(std::ranges::equal(file->header.spec.harness.artifact()->bytes(), spec_.harness.artifact()->bytes()));
}

TEST_F(HarnessFileTest, IsVerifiedInEveryTier) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    const auto verification = verify(file_.path(), {}, {.tier = tier});
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_FALSE(verification->difference);
    EXPECT_EQ(verification->verified, 40U);
  }
}

TEST_F(HarnessFileTest, IsNotReadWithAnotherHarness) {
  const std::string id = spec_.harness.artifact()->id().hex();
  replace(id, artifact_of(adding())->id().hex());
  const auto verification = verify(file_.path());
  ASSERT_FALSE(verification);
  EXPECT_THAT(verification.error().message, HasSubstr("harness is not the module that its \"artifact\" names"));
}

TEST_F(HarnessFileTest, IsNotReadWithoutTheBytesOfTheHarness) {
  replace("\"wasm\":\"AGFzbQ", "\"wasm\":\"BGFzbQ");
  const auto verification = verify(file_.path());
  ASSERT_FALSE(verification);
  EXPECT_THAT(verification.error().message, HasSubstr("harness is no module"));
}

}  // namespace
}  // namespace petri
