// Scorers that compare what a program wrote, metrics of a harness, and outputs that are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A program that writes its standard input, followed by this text, and ends in this way.
std::string echo(std::string_view more, std::string_view end = "") {
  return fmt::format(R"((module
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1) (data (i32.const 8192) "{0}")
    (func (export "_start")
      (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 4096))
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
      (i32.store (i32.const 4) (i32.load (i32.const 8)))
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
      (i32.store (i32.const 0) (i32.const 8192)) (i32.store (i32.const 4) (i32.const {1}))
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
      {2})))",
                     more, more.size(), end);
}

// Writes until its output is full.
constexpr std::string_view kEndlessWriter = R"((module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start") (i32.store (i32.const 4) (i32.const 65536))
    (loop (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br 0)))))";

Case program_case(std::string input, std::optional<std::string> expected) {
  return {.arguments = {}, .input = std::move(input), .expected = std::move(expected)};
}

constexpr Tier kTiers[] = {Tier::interpreted, Tier::compiled, Tier::automatic};

class ScorerTest : public RecordsTest {
 protected:
  ScorerTest() {
    spec_.function = "_start";
    spec_.scorer = Scorer::exact;
  }

  Record record_of(std::string_view candidate, const EvaluationOptions& options = {}) {
    return evaluate(evaluator_, CandidateSet{std::string(candidate)}, cases_, spec_, options).records.front();
  }
  std::string refusal() {
    const auto evaluation = evaluator_.evaluate({}, cases_, spec_);
    return evaluation ? "" : evaluation.error().message;
  }
  // The records with one text in place of another.
  Verification verified_with(std::string_view old_text, std::string_view new_text) {
    std::string text = file_.read();
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << text;
    if (at != std::string::npos) text.replace(at, old_text.size(), new_text);
    file_.write(text);
    return verified();
  }

  std::vector<Case> cases_{program_case("1 2", "1 2"), program_case("3", "4"), program_case("", "")};
  EvaluationSpec spec_ = small_spec();
};

TEST_F(ScorerTest, CountsCasesWithAnotherOutput) {
  for (const Tier tier : kTiers) {
    const Record record = record_of(echo(""), {.tier = tier, .use_cache = false});
    EXPECT_EQ(record.outcome, OutcomeKind::ok) << name_of(tier);
    EXPECT_THAT(record.wrong, ElementsAre(1)) << name_of(tier);
    EXPECT_EQ(record.score, 1) << name_of(tier);
  }
  EXPECT_EQ(record_of(echo("!")).score, 3);
}

TEST_F(ScorerTest, CountsCasesLeftOutAfterTheFirstThatFailed) {
  spec_.stop_at_first_failure = true;
  const Record record = record_of(echo(""));
  EXPECT_THAT(record.kinds, SizeIs(2));
  EXPECT_THAT(record.wrong, ElementsAre(1));
  EXPECT_EQ(record.score, 2);
}

TEST_F(ScorerTest, TakesAnExitWithZeroForAnEndAndAnyOtherForAFailure) {
  cases_ = {program_case("1", "1")};
  spec_.stop_at_first_failure = true;
  EXPECT_EQ(record_of(echo("", "(call $exit (i32.const 0))")).score, 0);
  for (int code = 1; code < 256; ++code) {
    const Record record = record_of(echo("", fmt::format("(call $exit (i32.const {}))", code)));
    EXPECT_EQ(record.exit_code, code);
    EXPECT_EQ(record.score, 1) << code;
  }
}

TEST_F(ScorerTest, ComparesWordByWordWithinTheTolerance) {
  cases_ = {program_case("sum:  1.0000001\n\nend\n", "sum: 1 end"), program_case("1e3", "1000.0000001"),
            program_case("1.1", "1"), program_case("a b", "ab"), program_case("nan", "1")};
  spec_.scorer = Scorer::tolerance;
  EXPECT_THAT(record_of(echo("")).wrong, ElementsAre(2, 3, 4));
  spec_.tolerance = 0.2;
  EXPECT_THAT(record_of(echo("")).wrong, ElementsAre(3, 4));
  spec_.scorer = Scorer::exact;
  EXPECT_THAT(record_of(echo("")).wrong, SizeIs(5));
}

TEST_F(ScorerTest, ComparesTheFirstValueWithItsTarget) {
  cases_ = cases_of({1, 2, 3});
  spec_.function = "f";
  spec_.targets = {2, 5, 10.0000001};
  EXPECT_THAT(record_of(polynomial(1)).wrong, ElementsAre(2));
  spec_.scorer = Scorer::tolerance;
  EXPECT_THAT(record_of(polynomial(1)).wrong, IsEmpty());
  spec_.stop_at_first_failure = true;
  const Record trapped = record_of(trapping_above(0));
  EXPECT_THAT(trapped.kinds, ElementsAre(OutcomeKind::trapped));
  EXPECT_EQ(trapped.score, 3);
}

TEST_F(ScorerTest, TakesExpectedOutputOfAnyBytes) {
  const std::string bytes("\xff\0\x80", 3);
  cases_ = {program_case(bytes, bytes), program_case(bytes, "x")};
  EXPECT_THAT(record_of(echo("")).wrong, ElementsAre(1));
  write(CandidateSet{echo("")}, cases_, spec_);
  EXPECT_EQ(read_records(file_.path())->header.cases, cases_);
  EXPECT_EQ(verified().verdict(), VerificationVerdict::verified);
}

TEST_F(ScorerTest, GivesTheSameFromTheCache) {
  const Record first = record_of(echo(""));
  const Record again = record_of(echo(""));
  EXPECT_EQ(again.score, first.score);
  EXPECT_EQ(again.wrong, first.wrong);
  EXPECT_EQ(again.receipt, first.receipt);
  EXPECT_EQ(evaluator_.statistics().cache_hits, 1U);
}

// Reads on after the end of its input, and writes how many bytes the last reading gave, as a digit.
constexpr std::string_view kReadsPastItsInput = R"((module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $left i32) (local.set $left (i32.const 9))
    (loop $again
      (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 4096))
      (if (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.store8 (i32.const 64) (i32.add (i32.const 48) (i32.load (i32.const 8))))
    (i32.store (i32.const 4) (i32.const 1))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))))";

// Opens the files that nobody has given it, and closes none.
constexpr std::string_view kOpensFiles = R"((module
  (import "wasi_snapshot_preview1" "path_open" (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1) (func (export "_start"))))";

TEST_F(ScorerTest, ContinuesWithTheNextProgramAfterEachBadOne) {
  cases_ = {program_case("12", "12"), program_case("7", "7")};
  const CandidateSet bad{std::string(kEndlessWriter), std::string(kReadsPastItsInput),
                         std::string(kOpensFiles),    echo("", "(call $exit (i32.const 255))"),
                         echo("", "unreachable"),     echo("", "(loop (br 0))")};
  CandidateSet population = bad;
  population.add(echo(""));
  for (const Tier tier : kTiers) {
    const EvaluationOptions options{.tier = tier, .use_cache = false};
    const Evaluation evaluation = evaluate(evaluator_, population, cases_, spec_, options);
    for (std::size_t row = 0; row < bad.size(); ++row) EXPECT_NE(evaluation.records[row].score, 0) << row;
    EXPECT_EQ(evaluation.records[1].outcome, OutcomeKind::ok) << "the end of the input is no failure";
    EXPECT_EQ(evaluation.records[2].error, ErrorCode::link_error);
    EXPECT_EQ(evaluation.records.back().score, 0) << name_of(tier);
  }
}

TEST_F(ScorerTest, SaysWhatIsMissingOrContradictsItself) {
  spec_.scorer = Scorer::squared_error;
  EXPECT_THAT(refusal(), HasSubstr("case 0, 1, 2 has an expected output, which the scorer squared_error does not "
                                   "compare; choose exact or tolerance"));
  cases_ = {program_case("1", std::nullopt)};
  spec_.scorer = Scorer::exact;
  EXPECT_THAT(refusal(), HasSubstr("the scorer exact needs targets or expected outputs to compare with"));
  spec_.scorer = Scorer::metrics;
  EXPECT_THAT(refusal(), HasSubstr("the scorer metrics needs a harness that returns them"));
  EXPECT_THAT(refusal(), HasSubstr("the scorer metrics needs the names of 1 to 64 of them"));
  spec_.scorer = static_cast<Scorer>(9);
  EXPECT_THAT(refusal(), HasSubstr("the scorer is none that there is"));
  spec_ = small_spec();
  spec_.tolerance = NAN;
  spec_.metrics = {"a"};
  EXPECT_THAT(refusal(), HasSubstr("the tolerance is not a number from 0 on"));
  EXPECT_THAT(refusal(), HasSubstr("metrics are named, and the scorer is another one"));
}

// Returns what the candidate gives, and how far x is from 2.
constexpr std::string_view kMeasuring = R"((module
  (import "candidate" "f" (func $f (param f64) (result f64)))
  (func (export "measure") (param f64) (result f64 i32)
    (call $f (local.get 0)) (i32.trunc_f64_s (f64.abs (f64.sub (local.get 0) (f64.const 2)))))))";

class MetricsTest : public ScorerTest {
 protected:
  MetricsTest() {
    spec_.function = "measure";
    spec_.scorer = Scorer::metrics;
    spec_.metrics = {"error", "distance"};
    spec_.harness = *Artifact::from_wat(kMeasuring, 1 << 20);
    cases_ = cases_of({1, 2, 5});
  }
};

TEST_F(MetricsTest, AreSummedOverTheCasesAndTheFirstIsTheScore) {
  for (const Tier tier : kTiers) {
    const Record record = record_of(polynomial(1), {.tier = tier, .use_cache = false});
    EXPECT_THAT(record.metrics, ElementsAre(33, 4)) << name_of(tier);
    EXPECT_EQ(record.score, 33) << name_of(tier);
  }
  EXPECT_THAT(record_of(trapping_above(3)).metrics, ElementsAre(testing::IsNan(), testing::IsNan()));
}

TEST_F(MetricsTest, AreOfTheHarnessByNumber) {
  spec_.metrics = {"error"};
  EXPECT_THAT(refusal(), HasSubstr("its function \"measure\" returns 2 values, and 1 metrics are named"));
  spec_.metrics = {"error", "error"};
  EXPECT_THAT(refusal(), HasSubstr("two metrics have the same name"));
}

TEST_F(MetricsTest, AreVerified) {
  write(CandidateSet{polynomial(1)}, cases_, spec_);
  EXPECT_EQ(read_records(file_.path())->header.scored_by, ScoredBy::harness);
  EXPECT_EQ(verified().verdict(), VerificationVerdict::verified);
  const Verification changed = verified_with("\"metrics\":[33,4]", "\"metrics\":[33,5]");
  ASSERT_TRUE(changed.difference);
  EXPECT_EQ(changed.difference->field, "metrics[1]");
}

class KeptOutputTest : public ScorerTest {
 protected:
  KeptOutputTest() { spec_.keep_output_bytes = 4; }
};

TEST_F(KeptOutputTest, IsTheFirstBytesOfEachCase) {
  cases_ = {program_case("12", "12"), program_case("123456", ""), program_case("aaa\xc3\xa4", ""),
            program_case("\xff\xff\xff\xff\xff", "")};
  for (const Tier tier : kTiers) {
    EXPECT_THAT(record_of(echo(""), {.tier = tier, .use_cache = false}).outputs,
                ElementsAre(KeptOutput{"12", 2}, KeptOutput{"1234", 6}, KeptOutput{"aaa", 5},
                            KeptOutput{"\xff\xff\xff\xff", 5}));
  }
}

TEST_F(KeptOutputTest, IsVerifiedInBothForms) {
  cases_ = {program_case("12", "12"), program_case("123456", ""), program_case("\xff", "")};
  for (const RecordsForm form : {RecordsForm::json_lines, RecordsForm::compact}) {
    auto writer = RecordsWriter::create(file_.path(), form);
    const Record record = record_of(echo("", "(call $exit (i32.const 3))"), {.records = writer->get()});
    ASSERT_TRUE((*writer)->close());
    const auto file = read_records(file_.path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->header.spec, spec_);
    EXPECT_EQ(file->records[0].record.outputs, record.outputs) << name_of(form);
    EXPECT_EQ(file->records[0].record.wrong, record.wrong) << name_of(form);
    EXPECT_EQ(verified().verdict(), VerificationVerdict::verified) << name_of(form);
    const TestFile copy("converted");
    ASSERT_TRUE(convert_records(file_.path(), copy.path(), RecordsForm::json_lines));
    EXPECT_EQ(read_records(copy.path())->records[0].record.outputs, record.outputs);
  }
}

TEST_F(KeptOutputTest, ThatWasChangedIsDifferent) {
  cases_ = {program_case("12", "12"), program_case("123456", "")};
  write(CandidateSet{echo("")}, cases_, spec_);
  const std::string whole = file_.read();
  const auto changed = [&](std::string_view old_text, std::string_view new_text) {
    file_.write(whole);
    const Verification verification = verified_with(old_text, new_text);
    return verification.difference ? verification.difference->field : "";
  };
  EXPECT_EQ(changed("{\"text\":\"12\"}", "{\"text\":\"13\"}"), "outputs[0]");
  EXPECT_EQ(changed("\"bytes\":6", "\"bytes\":7"), "outputs[1]");
  EXPECT_EQ(changed("\"wrong\":[1]", "\"wrong\":[0]"), "wrong[0]");
  EXPECT_EQ(changed("\"scorer\":\"exact\"", "\"scorer\":\"tolerance\""), "spec");
  EXPECT_EQ(changed("\"keep_output_bytes\":4", "\"keep_output_bytes\":5"), "spec");
}

// A program that prints a gigabyte ends at its output limit, and a row keeps no more than it may.
TEST_F(KeptOutputTest, IsBoundedWhateverAProgramWrites) {
  cases_.assign(40, program_case("", ""));
  spec_.keep_output_bytes = 1 << 20;
  const Record record = record_of(kEndlessWriter);
  EXPECT_EQ(record.outcome, OutcomeKind::output_limit);
  EXPECT_EQ(record.score, 40);
  std::uint64_t kept = 0;
  for (const KeptOutput& output : record.outputs) kept += output.text.size();
  EXPECT_GT(kept, 0U);
  EXPECT_LE(kept, spec_.memory_bytes_max);
}

}  // namespace
}  // namespace petri
