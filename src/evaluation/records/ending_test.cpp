// The final line of a records file, and files that lack it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sha256.h"
#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Sha256 sha256_of(std::string_view text) {
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

class RecordsEndingTest : public RecordsTest {
 protected:
  std::vector<std::string> write_three() {
    write({polynomial(1), polynomial(2), polynomial(3)}, cases_of({1}));
    return lines_of(file_.read());
  }
};

TEST_F(RecordsEndingTest, CountsTheRecordsAndHashesEveryByteBeforeIt) {
  const auto lines = write_three();
  ASSERT_THAT(lines, SizeIs(5));
  const std::string text = file_.read();
  const std::string before = text.substr(0, text.find("{\"records\""));
  EXPECT_EQ(lines.back(), "{\"records\":3,\"sha256\":\"" + sha256_of(before).hex() + "\"}");
  const auto file = read_records(file_.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->ending, (RecordsEnding{.records = 3, .sha256 = sha256_of(before)}));
  const Verification verification = verified();
  EXPECT_TRUE(verification.whole);
  EXPECT_EQ(verification.verdict(), VerificationVerdict::verified);
}

// B11: what is hashed does not depend on how the lines were brought together.
TEST_F(RecordsEndingTest, IsTheSameForAnyNumberOfWorkers) {
  std::vector<std::string> texts;
  for (const unsigned workers : {1U, 2U, 8U}) {
    write(CandidateSet::mixed(200), cases_of({0, 1}), small_spec(), {.workers = workers});
    texts.push_back(file_.read());
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST_F(RecordsEndingTest, ComesOnceBehindSeveralEvaluations) {
  auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  evaluate(evaluator_, {polynomial(1)}, cases_of({1}), small_spec(), options);
  evaluate(evaluator_, {polynomial(2)}, cases_of({1}), small_spec(), options);
  ASSERT_TRUE(writer->close());
  ASSERT_TRUE(writer->close()) << "closing it twice changes nothing";
  EXPECT_THAT(lines_of(file_.read()), SizeIs(4));
  EXPECT_EQ(verified().verdict(), VerificationVerdict::verified);
}

// The last rows were deleted, and nothing showed it.
TEST_F(RecordsEndingTest, ShowsThatRowsWereTakenAway) {
  auto lines = write_three();
  lines.erase(lines.begin() + 3);
  file_.write(text_of(lines));
  const Verification verification = verified();
  ASSERT_TRUE(verification.difference);
  EXPECT_EQ(verification.difference->field, "records");
  EXPECT_EQ(verification.difference->in_file, "3");
  EXPECT_EQ(verification.difference->found, "2");
  EXPECT_FALSE(verification.difference->row);
  EXPECT_EQ(verification.difference->line, 4U);
}

TEST_F(RecordsEndingTest, ShowsAChangeThatRunningAgainDoesNot) {
  auto lines = write_three();
  lines[2].insert(lines[2].size() - 1, ",\"name\":\"mine\"");
  file_.write(text_of(lines));
  const Verification verification = verified();
  ASSERT_TRUE(verification.difference);
  EXPECT_EQ(verification.difference->field, "sha256");
  EXPECT_EQ(verification.verified, 3U);
  ASSERT_TRUE(verified({.sample = 1}).difference) << "a sample is of the rows, not of the file";
}

// B20: killed at any moment, it leaves lines that verify.
TEST_F(RecordsEndingTest, IsMissingAfterAKilledRunWhichVerifiesAsIncomplete) {
  auto lines = write_three();
  const std::string whole = file_.read();
  const std::size_t header = lines[0].size() + 1;
  for (std::size_t size = header; size < whole.size(); size += 7) {
    file_.write(whole.substr(0, size));
    const auto verification = verify(file_.path());
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_FALSE(verification->difference);
    EXPECT_EQ(verification->verdict(), VerificationVerdict::incomplete) << size;
    EXPECT_FALSE(verification->whole);
    EXPECT_EQ(verification->verified, verification->rows);
  }
}

TEST_F(RecordsEndingTest, IsNotWrittenUnlessTheWriterIsClosed) {
  {
    auto writer = *RecordsWriter::create(file_.path());
    EvaluationOptions options;
    options.records = writer.get();
    evaluate(evaluator_, {polynomial(1)}, cases_of({1}), small_spec(), options);
  }
  EXPECT_THAT(lines_of(file_.read()), SizeIs(2));
  EXPECT_EQ(verified().verdict(), VerificationVerdict::incomplete);
}

// B20: stopped early
TEST_F(RecordsEndingTest, CountsTheRowsThatARunLeftOut) {
  CandidateSet population;
  for (int row = 0; row < 100; ++row) population.add(polynomial(row));
  EvaluationOptions options{.workers = 1};
  options.enough = [](const Record& record) { return record.row == 40; };
  const Evaluation evaluation = write(population, cases_of({1}), small_spec(), options);
  ASSERT_GT(evaluation.counts.cancelled, 0U);
  const Verification verification = verified();
  EXPECT_EQ(verification.cancelled_rows, evaluation.counts.cancelled);
  EXPECT_EQ(verification.verified, evaluation.counts.done());
  EXPECT_TRUE(verification.whole);
  EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
}

TEST_F(RecordsEndingTest, CountsTheRowsThatWereNeverGivenToAnEvaluation) {
  auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  evaluate(evaluator_, {polynomial(1)}, cases_of({1}), small_spec(), options);
  ASSERT_TRUE(writer->close(7));
  EXPECT_THAT(file_.read(), HasSubstr(",\"cancelled_before\":7}\n"));
  EXPECT_EQ(verified().cancelled_rows, 7U);
  EXPECT_EQ(verified().verdict(), VerificationVerdict::incomplete);
}

TEST_F(RecordsEndingTest, HasNothingBehindIt) {
  auto lines = write_three();
  const auto problem = [&](const std::vector<std::string>& changed) {
    file_.write(text_of(changed));
    const auto file = read_records(file_.path());
    return file ? std::string("nothing") : file.error().message;
  };
  auto twice = lines;
  twice.push_back(lines.back());
  EXPECT_THAT(problem(twice), HasSubstr("line 6: it stands behind the final line"));
  auto row_behind = lines;
  row_behind.push_back(lines[3]);
  EXPECT_THAT(problem(row_behind), HasSubstr("behind the final line"));
  auto other = lines;
  other.back() = R"({"records":3,"sha256":"00"})";
  EXPECT_THAT(problem(other), HasSubstr("sha256 is not 64 hexadecimal digits"));
  other.back() = R"({"records":3,"sha256":")" + std::string(64, '0') + R"(","signed":true})";
  EXPECT_THAT(problem(other), HasSubstr("signed is no field that this petri knows; a newer one may"));
}

}  // namespace
}  // namespace petri
