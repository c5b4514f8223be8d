#include "petri/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::Not;

class Report : public testing::Test {
 protected:
  Report() {
    spec_.targets = {0, 0.25, 1};
    options_.case_time_max = std::chrono::minutes(1);
  }

  // The records of these texts, each with the origin of its place.
  void evaluate_into_file(const std::vector<std::string>& texts, const std::vector<Origin>& origins = {}) {
    std::vector<Candidate> candidates;
    for (std::size_t row = 0; row < texts.size(); ++row) {
      candidates.push_back(Candidate::wat(texts[row]));
      if (row < origins.size()) candidates.back() = std::move(candidates.back()).from(origins[row]);
    }
    const auto writer = RecordsWriter::create(records_.path());
    ASSERT_TRUE(writer);
    options_.records = writer->get();
    Evaluator evaluator;
    const auto evaluation = evaluator.evaluate(candidates, cases_of({0, 0.5, 1}), spec_, options_);
    ASSERT_TRUE(evaluation) << evaluation.error().message;
    ASSERT_TRUE((*writer)->close());
  }

  ReportFacts report(const ReportOptions& options = {}) {
    const auto facts = write_report(records_.path(), page_.path(), options);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts.value_or(ReportFacts{});
  }
  Error refusal() {
    const auto facts = write_report(records_.path(), page_.path());
    EXPECT_FALSE(facts);
    EXPECT_EQ(page_.read(), "");
    return facts ? Error{} : facts.error();
  }

  EvaluationSpec spec_ = small_spec();
  EvaluationOptions options_;
  const TestFile records_{"records"};
  const TestFile page_{"page"};
};

TEST_F(Report, ShowsTheBestScoreAndItsRow) {
  evaluate_into_file({polynomial(3), polynomial(0), polynomial(1), loop_for_ever(), not_wat()});
  const ReportFacts facts = report();
  EXPECT_EQ(facts.records, 5U);
  EXPECT_EQ(facts.scored, 3U);
  EXPECT_EQ(facts.best_row, 1U);
  EXPECT_EQ(facts.best_score, 0.0);
  EXPECT_EQ(facts.page_bytes, page_.read().size());
  EXPECT_EQ(report({.best = BestScore::largest}).best_row, 0U);
}

TEST_F(Report, HasNoTextOfACandidateAsMarkup) {
  const std::string rude = "<script>alert(1)</script>";
  const std::string import =
      "(module (import \"<script>\" \"'\\22>\" (func)) (func (export \"f\") (param f64) (result f64) local.get 0))";
  spec_.function = "f";
  evaluate_into_file({polynomial(0), import}, {{.name = rude, .mutation = rude}, {.name = rude}});
  report();
  const std::string page = page_.read();
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("first: the import &quot;&lt;script&gt;&quot;"));
}

TEST_F(Report, FindsTheLineageInTheFile) {
  const auto mother = Artifact::from_wat(polynomial(3), 1 << 20);
  evaluate_into_file({polynomial(3), polynomial(0)},
                     {{.mutation = "random"}, {.parents = {(*mother)->id()}, .mutation = "smaller constant"}});
  report();
  EXPECT_THAT(page_.read(), HasSubstr("1 steps back"));
  EXPECT_THAT(page_.read(), HasSubstr("smaller constant"));
}

TEST_F(Report, CountsRowsThatRepeatOthers) {
  evaluate_into_file({polynomial(1), polynomial(1), polynomial(1), polynomial(2)});
  report();
  EXPECT_THAT(page_.read(), HasSubstr("4 records, 2 of them repeat an earlier row, 0 cannot be repeated"));
}

TEST_F(Report, WithoutScoresStillShowsHowCandidatesEnded) {
  spec_.targets.clear();
  evaluate_into_file({polynomial(1), loop_for_ever()});
  const ReportFacts facts = report();
  EXPECT_FALSE(facts.best_score);
  EXPECT_EQ(facts.scored, 0U);
  EXPECT_THAT(page_.read(), HasSubstr("No record has a score"));
  EXPECT_THAT(page_.read(), HasSubstr("data-end=\"out_of_fuel\" data-count=\"1\""));
}

TEST_F(Report, DrawsScoresThatAreNotFinite) {
  options_.scorer = [](std::size_t row, std::span<const CaseView>) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double scores[] = {-kInfinity, kInfinity, 1e308, -1e308};
    return scores[row];
  };
  evaluate_into_file({polynomial(1), polynomial(2), polynomial(3), polynomial(4)});
  EXPECT_EQ(report().best_score, -INFINITY);
  EXPECT_THAT(page_.read(), Not(HasSubstr("inf%")));
  EXPECT_THAT(page_.read(), Not(HasSubstr("nan%")));
}

TEST_F(Report, HasAtMostAsManyOfTheBestAsAskedFor) {
  evaluate_into_file({polynomial(1), polynomial(2), polynomial(3)});
  report({.top = 2});
  EXPECT_THAT(page_.read(), HasSubstr("class=\"number rank\">2<"));
  EXPECT_THAT(page_.read(), Not(HasSubstr("class=\"number rank\">3<")));
  EXPECT_EQ(write_report(records_.path(), page_.path(), {.top = 0}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(write_report(records_.path(), page_.path(), {.top = 1'001}).error().code, ErrorCode::validation_failed);
}

TEST_F(Report, OfACutFileShowsTheWholeRecordsAndSaysSo) {
  evaluate_into_file({polynomial(1), polynomial(2), polynomial(3)});
  const std::string whole = records_.read();
  records_.write(whole.substr(0, whole.find("{\"records\"") - 20));
  const ReportFacts facts = report();
  EXPECT_EQ(facts.records, 2U);
  ASSERT_TRUE(facts.read_error);
  EXPECT_EQ(facts.read_error->code, ErrorCode::parse_failed);
  EXPECT_THAT(page_.read(), HasSubstr("This page shows the 2 whole records"));
  EXPECT_THAT(page_.read(), HasSubstr("line 4 is cut off"));
}

TEST_F(Report, HasNothingToDoubtInAFileAsItWasWritten) {
  evaluate_into_file({polynomial(1), polynomial(2), loop_for_ever(), not_wat()});
  const ReportFacts facts = report();
  EXPECT_EQ(facts.state, RecordsState::whole);
  EXPECT_EQ(facts.doubtful, 0U);
  EXPECT_FALSE(facts.best_doubt);
  EXPECT_THAT(page_.read(), Not(HasSubstr("oubtful")));
}

// A forged score was shown as the best.
TEST_F(Report, SaysThatNoReceiptBindsTheBest) {
  evaluate_into_file({polynomial(1), polynomial(2)});
  std::string text = records_.read();
  const std::size_t receipt = text.find(",\"receipt\"", text.find("\"row\":1"));
  text.replace(receipt, text.find(',', receipt + 1) - receipt, ",\"repeatable\":false");
  const std::size_t score = text.find("\"score\":", text.find("\"row\":1"));
  text.replace(score, text.find(',', score) - score, "\"score\":-1000");
  records_.write(text);
  const ReportFacts facts = report();
  EXPECT_EQ(facts.best_score, -1'000.0);
  EXPECT_EQ(facts.best_doubt, "its \"repeatable\" contradicts the rest of it");
  EXPECT_EQ(facts.doubtful, 1U);
  EXPECT_EQ(facts.state, RecordsState::changed);
  EXPECT_THAT(page_.read(), HasSubstr("row 1, doubtful: its &quot;repeatable&quot; contradicts the rest of it"));
  EXPECT_THAT(page_.read(), HasSubstr("<b>Changed.</b>"));
}

TEST_F(Report, SaysThatTheFinalLineIsMissing) {
  evaluate_into_file({polynomial(1)});
  const std::string whole = records_.read();
  records_.write(whole.substr(0, whole.find("{\"records\"")));
  EXPECT_EQ(report().state, RecordsState::incomplete);
  EXPECT_THAT(page_.read(), HasSubstr("<b>Not complete.</b>"));
}

TEST_F(Report, IsRefusedWithoutAWholeRecord) {
  evaluate_into_file({polynomial(1)});
  const std::string whole = records_.read();
  const std::size_t first_line = whole.find('\n') + 1;
  records_.write(whole.substr(0, whole.find("{\"records\"") - 1));
  EXPECT_EQ(refusal().code, ErrorCode::parse_failed);
  records_.write(whole.substr(0, first_line));
  EXPECT_THAT(refusal().message, HasSubstr("there is no record in this file"));
}

TEST_F(Report, IsRefusedOfWhatAreNoRecords) {
  records_.write("{\"petri_records\":1}\n");
  EXPECT_EQ(refusal().code, ErrorCode::validation_failed);
  records_.write("{}\n");
  EXPECT_EQ(refusal().code, ErrorCode::parse_failed);
  records_.write("");
  EXPECT_EQ(refusal().code, ErrorCode::parse_failed);
  EXPECT_EQ(write_report("no/such/file", page_.path()).error().code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
