// Records as files: written, read, verified.
#include "petri/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// B20
TEST_F(RecordsTest, AreLinesOfJson) {
  write(CandidateSet::mixed(80), cases_of({0, 1}));
  const std::string text = file_.read();
  EXPECT_EQ(text.back(), '\n');
  const auto lines = lines_of(text);
  ASSERT_THAT(lines, SizeIs(82));
  EXPECT_THAT(lines[0], StartsWith("{\"petri_records\":2,"));
  EXPECT_THAT(lines[81], StartsWith("{\"records\":80,\"sha256\":\""));
  for (const std::string& line : lines) EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
  const auto record = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(record["row"], 0);
  EXPECT_EQ(record["outcome"], "ok");
  EXPECT_EQ(record["values"], nlohmann::json::array({0, 1}));
  EXPECT_EQ(record["fuel"], 10);
}

TEST_F(RecordsTest, ReadBackAsTheyWere) {
  EvaluationSpec spec = small_spec();
  spec.targets = {0.5, 0.25};
  const CandidateSet population = CandidateSet::mixed(80);
  const auto cases = cases_of({0.1, -2});
  const Evaluation evaluation = write(population, cases, spec);
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->header.spec, spec);
  EXPECT_EQ(file->header.cases, cases);
  EXPECT_EQ(file->header.scored_by, ScoredBy::targets);
  EXPECT_EQ(file->header.digest, spec_digest(cases, spec, HostFunctions()));
  ASSERT_EQ(file->records.size(), evaluation.records.size());
  for (std::size_t row = 0; row < evaluation.records.size(); ++row) {
    const Record& written = evaluation.records[row];
    const Record& read = file->records[row].record;
    EXPECT_EQ(read.row, row);
    EXPECT_EQ(read.artifact, written.artifact);
    EXPECT_EQ(read.outcome, written.outcome);
    EXPECT_EQ(read.trap, written.trap);
    EXPECT_EQ(read.exit_code, written.exit_code);
    EXPECT_EQ(read.error, written.error);
    EXPECT_EQ(read.message, written.message);
    EXPECT_EQ(read.first_failure, written.first_failure);
    EXPECT_EQ(read.value_types, written.value_types);
    EXPECT_EQ(read.value_bits, written.value_bits);
    EXPECT_EQ(read.kinds, written.kinds);
    EXPECT_EQ(read.output, written.output);
    EXPECT_EQ(read.fuel_used, written.fuel_used);
    EXPECT_EQ(read.memory_peak_bytes, written.memory_peak_bytes);
    EXPECT_EQ(read.repeats_row, written.repeats_row);
    EXPECT_EQ(read.receipt, written.receipt);
    EXPECT_TRUE(file->records[row].wasm || file->records[row].wat);
  }
}

TEST_F(RecordsTest, CarryNumbersBitForBit) {
  const std::string text = R"((module (func (export "f") (param i32 i64 f32 f64) (result i32 i64 f32 f64)
    local.get 0 local.get 1 local.get 2 local.get 3)))";
  const auto bits = [](std::int64_t i, std::uint32_t f32, std::uint64_t f64) {
    return Case{.arguments = {Value(static_cast<std::int32_t>(i)), Value(i), Value::from_bits(ValueType::f32, f32),
                              Value::from_bits(ValueType::f64, f64)}};
  };
  const std::vector<Case> cases{bits(INT64_MIN, 0x8000'0000, 0x8000'0000'0000'0000),
                                bits(INT64_MAX, 0x7f80'0000, 0xfff0'0000'0000'0000),
                                bits(-1, 0x7fc0'0000, 0x7ff8'0000'0000'0000),
                                bits(0, 1, 1),
                                bits(7, 0x3dcc'cccd, 0x3fb9'9999'9999'999a),
                                bits(9'007'199'254'740'993, 0x7f7f'ffff, 0x7fef'ffff'ffff'ffff),
                                bits(1, 0xffc0'0001, 0xfff8'0000'0000'0001)};
  const Evaluation evaluation = write({text}, cases);
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->header.cases, cases);
  EXPECT_EQ(file->records[0].record.value_bits, evaluation.records[0].value_bits);
  EXPECT_FALSE(verified().difference);
}

TEST_F(RecordsTest, SayWhereACandidateComesFrom) {
  const ArtifactId parent{.bytes = {1, 2, 3}};
  const Origin origin{.name = "a<b>.wat", .generation = 3, .parents = {parent, parent}, .mutation = "swap \"two\""};
  const std::string text = polynomial(1);
  const std::vector<Candidate> candidates{Candidate::wat(text).from(origin)};
  const auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  ASSERT_TRUE(evaluator_.evaluate(candidates, cases_of({1}), small_spec(), options));
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->records[0].origin, origin);
}

TEST_F(RecordsTest, OfSeveralEvaluationsFollowEachOther) {
  const auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  evaluate(evaluator_, {polynomial(1), polynomial(2)}, cases_of({1}), small_spec(), options);
  evaluate(evaluator_, {polynomial(3), polynomial(1), polynomial(3)}, cases_of({1}), small_spec(), options);
  EvaluationSpec other = small_spec();
  other.seed = 8;
  const auto refused = evaluator_.evaluate(CandidateSet{polynomial(1)}.candidates(), cases_of({1}), other, options);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->records(), 5U);
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->records[4].record.row, 4U);
  EXPECT_EQ(file->records[4].record.repeats_row, 2U);
  EXPECT_EQ(verified().verified, 5U);
}

// B17
TEST_F(RecordsTest, VerifyInEitherTier) {
  EvaluationSpec spec = small_spec();
  spec.targets = {1, 2};
  write(CandidateSet::mixed(80), cases_of({0, 1}), spec);
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    const Verification verification = verified({.tier = tier});
    EXPECT_FALSE(verification.difference);
    EXPECT_EQ(verification.rows, 80U);
    EXPECT_EQ(verification.verified, 80U);
  }
}

TEST_F(RecordsTest, VerifyAsASample) {
  write(CandidateSet::mixed(80), cases_of({0, 1}));
  const Verification verification = verified({.sample = 10, .sample_seed = 3});
  EXPECT_EQ(verification.verified, 10U);
  EXPECT_EQ(verification.not_sampled, 70U);
}

// B17: every digit of a file matters.
TEST_F(RecordsTest, ShowTheFirstFlippedDigit) {
  EvaluationSpec spec = small_spec();
  spec.targets = {1, 2.5};
  write({polynomial(1), trapping_above(0.5), writing(2), leaving(3), polynomial(1), without_f()}, cases_of({0, 1.25}),
        spec);
  const std::string whole = file_.read();
  const std::size_t records = whole.find('\n') + 1;
  constexpr std::string_view kNameWithDigits = "\"sha256\":";
  const std::size_t name_with_digits = whole.rfind(kNameWithDigits);
  int flipped = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(whole[at])) == 0) continue;
    if (at > name_with_digits && at < name_with_digits + kNameWithDigits.size()) continue;
    std::string changed = whole;
    changed[at] = whole[at] == '9' ? '3' : static_cast<char>(whole[at] + 1);
    file_.write(changed);
    ++flipped;
    const auto verification = verify(file_.path(), {}, {.tier = Tier::interpreted, .workers = 1});
    if (at < records) {
      EXPECT_TRUE(!verification || verification->difference) << changed.substr(at - 10, 20);
      continue;
    }
    ASSERT_TRUE(verification) << verification.error().message;
    ASSERT_TRUE(verification->difference) << "at byte " << at << " of " << changed.substr(changed.rfind('\n', at), 200);
    EXPECT_EQ(verification->verdict(), VerificationVerdict::different);
    const auto line =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    EXPECT_EQ(verification->difference->line, line);
    EXPECT_FALSE(verification->difference->field.empty());
  }
  EXPECT_GT(flipped, 500);
}

TEST_F(RecordsTest, NameTheFieldThatDiffers) {
  write({polynomial(1), polynomial(2)}, cases_of({1}));
  std::string text = file_.read();
  text.replace(text.find("\"fuel\":5", text.find("\"row\":1")), 8, "\"fuel\":6");
  file_.write(text);
  const Verification verification = verified();
  ASSERT_TRUE(verification.difference);
  EXPECT_EQ(verification.difference->row, 1U);
  EXPECT_EQ(verification.difference->field, "fuel");
  EXPECT_EQ(verification.difference->in_file, "6");
  EXPECT_EQ(verification.difference->found, "5");
  EXPECT_EQ(verification.verified, 1U);
}

TEST_F(RecordsTest, TakeAHostsScoreAsItStandsButBindIt) {
  EvaluationOptions options;
  options.scorer = [](std::size_t, std::span<const CaseView>) { return 42.5; };
  write({polynomial(1)}, cases_of({1}), small_spec(), options);
  EXPECT_FALSE(verified().difference);
  std::string text = file_.read();
  text.replace(text.find("42.5"), 4, "43.5");
  file_.write(text);
  ASSERT_TRUE(verified().difference);
  EXPECT_EQ(verified().difference->field, "receipt");
}

TEST_F(RecordsTest, NeedTheHostFunctionsTheyWereMadeWith) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "twice", [](double x) { return 2 * x; }, {.deterministic = true, .version = 2}));
  Evaluator evaluator(host);
  const auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  const std::string text =
      module_with("(call 0 (local.get 0))", "(import \"game\" \"twice\" (func (param f64) (result f64)))");
  evaluate(evaluator, {text}, cases_of({1}), small_spec(), options);
  EXPECT_THAT(verify(file_.path()).error().message, AllOf(HasSubstr("twice"), HasSubstr("version 2")));
  const auto verification = verify(file_.path(), host);
  ASSERT_TRUE(verification) << verification.error().message;
  EXPECT_EQ(verification->verified, 1U);
}

TEST_F(RecordsTest, LeaveOutCandidatesThatAreTooLarge) {
  EvaluationSpec spec = small_spec();
  spec.module_bytes_max = 1'024;
  CandidateSet population{polynomial(1), "(; " + std::string(5'000, 'x') + " ;)"};
  population.add_bytes(std::vector<std::uint8_t>(3'000));
  write(population, cases_of({1}), spec);
  EXPECT_LT(file_.read().size(), 3'000U);
  EXPECT_EQ(verified().left_out, 2U);
}

TEST_F(RecordsTest, OfAnotherKindAreRefusedInOneSentence) {
  write({polynomial(1), polynomial(2)}, cases_of({1}));
  const std::string whole = file_.read();
  const auto problem = [&](const std::string& text) {
    file_.write(text);
    const auto file = read_records(file_.path());
    return file ? std::string("nothing") : fmt::format("{}: {}", name_of(file.error().code), file.error().message);
  };
  EXPECT_THAT(problem(""), AllOf(StartsWith("parse_failed"), HasSubstr("empty")));
  EXPECT_THAT(problem("hello\n"), AllOf(StartsWith("parse_failed"), HasSubstr("line 1"), HasSubstr("not JSON")));
  EXPECT_THAT(problem("{\"petri_records\":1}\n"), AllOf(StartsWith("validation_failed"), HasSubstr("format 1"),
                                                        HasSubstr("evaluate the candidates again")));
  EXPECT_THAT(problem("{\"petri_records\":3}\n"), AllOf(HasSubstr("format 3"), HasSubstr("a newer petri")));
  EXPECT_THAT(problem("{\"row\":1}\n"), HasSubstr("does not begin a records file"));
  EXPECT_THAT(problem(whole.substr(0, whole.size() - 5)),
              AllOf(StartsWith("parse_failed"), HasSubstr("line 4 is cut off")));
  const std::string rows = whole.substr(0, whole.find("{\"records\""));
  EXPECT_THAT(problem(rows + "{}\n"), AllOf(HasSubstr("line 4"), HasSubstr("row is missing")));
  EXPECT_THAT(problem(rows + "{\"row\":9}\n"), HasSubstr("line 4"));
  EXPECT_THAT(problem(rows + "[]\n"), HasSubstr("not a JSON object"));
  EXPECT_THAT(problem(rows + "{\"row\":2,\"verified_by\":\"me\"}\n"),
              HasSubstr("verified_by is no field that this petri knows; a newer one may"));
  EXPECT_THAT(problem(rows + "{\"row\":2,\"row\":3}\n"), HasSubstr("\"row\" twice"));
  EXPECT_EQ(read_records("/no/such/file").error().code, ErrorCode::io_error);
  EXPECT_EQ(read_records("/").error().code, ErrorCode::io_error);
}

TEST_F(RecordsTest, ThatCannotBeWrittenAreAnErrorAndNothingIsLost) {
  EXPECT_EQ(RecordsWriter::create("/no/such/folder/file").error().code, ErrorCode::io_error);
  const auto writer = RecordsWriter::create("/dev/full");
  ASSERT_TRUE(writer);
  EvaluationOptions options;
  options.records = writer->get();
  const auto evaluation =
      evaluator_.evaluate(CandidateSet{polynomial(1)}.candidates(), cases_of({1}), small_spec(), options);
  ASSERT_FALSE(evaluation) << "the first line cannot be written: nothing was evaluated";
  EXPECT_EQ(evaluation.error().code, ErrorCode::io_error);
  EXPECT_THAT(evaluation.error().message, HasSubstr("the disk is full"));
}

TEST_F(RecordsTest, AreWholeLinesOnADiskThatFillsUp) {
  CandidateSet population;
  for (int row = 0; row < 2'000; ++row) population.add(polynomial(row));
  auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.workers = 1;
  options.records = writer.get();
  const Evaluation evaluation = [&] {
    const FileSizeLimit limit(300'000);
    return evaluate(evaluator_, population, cases_of({1}), small_spec(), options);
  }();
  ASSERT_TRUE(evaluation.write_error);
  EXPECT_EQ(evaluation.write_error->code, ErrorCode::io_error);
  EXPECT_FALSE(writer->close());
  std::size_t done = 0;
  for (const Record& record : evaluation.records) done += record.outcome ? 1 : 0;
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_GE(done, file->records.size());
  EXPECT_EQ(writer->records(), file->records.size());
  EXPECT_EQ(verified().verified, file->records.size());
}

TEST_F(RecordsTest, GoWithTimingsInAFileOfTheirOwn) {
  const auto timings = *TimingsWriter::create(file_.path());
  EvaluationOptions options;
  options.timings = timings.get();
  evaluate(evaluator_, {polynomial(1), polynomial(2)}, cases_of({1}), small_spec(), options);
  evaluate(evaluator_, {polynomial(1)}, cases_of({1}), small_spec(), options);
  ASSERT_TRUE(timings->close());
  const auto lines = lines_of(file_.read());
  ASSERT_THAT(lines, SizeIs(3));
  const auto last = nlohmann::json::parse(lines[2]);
  EXPECT_EQ(last["row"], 2);
  EXPECT_EQ(last["cache_hit"], true);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["tier"], "interpreted");
}

}  // namespace
}  // namespace petri
