// Records files that are continued.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class AppendTest : public RecordsTest {
 protected:
  // Adds these to the file; an error's message, or nothing.
  std::string append(const CandidateSet& population, const EvaluationSpec& spec = small_spec()) {
    auto writer = RecordsWriter::append(file_.path());
    if (!writer) return writer.error().message;
    EvaluationOptions options;
    options.records = writer->get();
    const auto evaluation = evaluator_.evaluate(population.candidates(), cases_, spec, options);
    const auto closed = (*writer)->close();
    EXPECT_TRUE(closed) << closed.error().message;
    return evaluation ? "" : evaluation.error().message;
  }

  const std::vector<Case> cases_ = cases_of({1, 2});
};

TEST_F(AppendTest, GivesTheFileOfOneRun) {
  for (const RecordsForm form : {RecordsForm::json_lines, RecordsForm::compact}) {
    auto writer = *RecordsWriter::create(file_.path(), form);
    EvaluationOptions options;
    options.records = writer.get();
    evaluate(evaluator_, {polynomial(1), polynomial(2)}, cases_, small_spec(), options);
    evaluate(evaluator_, {polynomial(3)}, cases_, small_spec(), options);
    ASSERT_TRUE(writer->close());
    const std::string in_one = file_.read();
    writer = *RecordsWriter::create(file_.path(), form);
    options.records = writer.get();
    evaluate(evaluator_, {polynomial(1), polynomial(2)}, cases_, small_spec(), options);
    ASSERT_TRUE(writer->close());
    writer = nullptr;
    EXPECT_EQ(append({polynomial(3)}), "");
    EXPECT_EQ(file_.read(), in_one) << name_of(form);
    EXPECT_EQ(verified().verdict(), VerificationVerdict::verified) << name_of(form);
  }
}

TEST_F(AppendTest, CreatesTheFileThatIsNotThere) {
  std::filesystem::remove(file_.path());
  EXPECT_EQ(append({polynomial(1)}), "");
  EXPECT_EQ(append({polynomial(2)}), "");
  EXPECT_THAT(read_records(file_.path())->records, SizeIs(2));
}

TEST_F(AppendTest, CountsRowsThatTheFirstRunLeftOut) {
  auto writer = *RecordsWriter::create(file_.path());
  EvaluationOptions options;
  options.records = writer.get();
  evaluate(evaluator_, {polynomial(1)}, cases_, small_spec(), options);
  ASSERT_TRUE(writer->close(5));
  writer = nullptr;
  EXPECT_EQ(append({polynomial(2)}), "");
  EXPECT_EQ(read_records(file_.path())->records.back().record.row, 6U);
  EXPECT_EQ(verified().cancelled_rows, 5U);
}

TEST_F(AppendTest, RefusesAnotherSpecAndLeavesTheFileAsItIs) {
  write({polynomial(1)}, cases_);
  const std::string before = file_.read();
  EvaluationSpec other = small_spec();
  other.fuel_max = 5;
  EXPECT_THAT(append({polynomial(2)}, other), HasSubstr("one spec, one list of cases and one scorer"));
  EXPECT_EQ(file_.read(), before);
}

TEST_F(AppendTest, RefusesWhatIsNoWholeFileOfThisFormat) {
  write({polynomial(1), polynomial(2)}, cases_);
  const std::string whole = file_.read();
  const auto refusal = [&](const std::string& text) {
    file_.write(text);
    const std::string message = append({polynomial(3)});
    EXPECT_EQ(file_.read(), text);
    return message;
  };
  const std::string cut = whole.substr(0, whole.find("{\"records\""));
  EXPECT_THAT(refusal(cut), HasSubstr("there is no final line to continue from"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 40)), HasSubstr("line 4"));
  std::string lie = whole;
  lie.replace(lie.find("\"sha256\":\"") + 10, 4, "0000");
  EXPECT_THAT(refusal(lie), HasSubstr("the final line does not fit the lines before it; petri verify says more"));
  std::string older = whole;
  older.replace(older.find("\"petri_records\":2"), 17, "\"petri_records\":1");
  EXPECT_THAT(refusal(older), HasSubstr("these are records of format 1, and this petri reads format 2"));
  EXPECT_THAT(refusal("{\"some\":\"log\"}\n"), HasSubstr("it does not begin a records file"));
  EXPECT_THAT(refusal("hello\n"), HasSubstr("it is not JSON"));
}

TEST_F(AppendTest, HasTheFileForItself) {
  write({polynomial(1)}, cases_);
  const auto first = RecordsWriter::append(file_.path());
  ASSERT_TRUE(first) << first.error().message;
  const auto second = RecordsWriter::append(file_.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
}

}  // namespace
}  // namespace petri
