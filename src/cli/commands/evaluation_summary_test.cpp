#include "cli/commands/evaluation_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace petri::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A record of a candidate of its own, unless `which` names one.
Record scored(std::size_t row, double score, std::optional<std::uint8_t> which = std::nullopt) {
  static std::uint8_t next = 100;
  return {.row = row,
          .artifact = ArtifactId{.bytes = {which.value_or(next++)}},
          .outcome = OutcomeKind::ok,
          .fuel_used = 10,
          .score = score};
}
Record failed(std::size_t row, ErrorCode code) { return {.row = row, .error = code, .message = "because"}; }

Evaluation batch(std::vector<Record> records) {
  Evaluation evaluation{.records = std::move(records), .wall_time = 1s};
  evaluation.counts = {.rows = evaluation.records.size(), .evaluated = evaluation.records.size()};
  for (const Record& record : evaluation.records) {
    if (record.error == ErrorCode::cancelled) ++evaluation.counts.cancelled;
  }
  return evaluation;
}

const std::vector<std::string> kCandidateNames{"a", "b", "c", "d", "e"};

std::vector<std::size_t> best_rows(const EvaluationSummary& summary) {
  std::vector<std::size_t> rows;
  for (const BestRow& row : summary.best) rows.push_back(row.row);
  return rows;
}

TEST(EvaluationSummary, AddsUpBatches) {
  EvaluationSummary summary{.candidates = 5};
  add(summary, batch({scored(0, 3), failed(1, ErrorCode::not_found)}), kCandidateNames, 5);
  add(summary, batch({scored(0, 1), {.row = 1, .outcome = OutcomeKind::trapped, .fuel_used = 5}}), kCandidateNames, 5);
  EXPECT_EQ(to_text(summary),
            "4 of 5 candidates in 2 s, 2 a second\n"
            "  ok                             2\n"
            "  trapped                        1\n"
            "  not_found                      1  error\n"
            "evaluated 4, repeated 0, from the cache 0, promoted 0; fuel 25\n"
            "best by score                  row            fuel  candidate\n"
            "  1                              2              10  a\n"
            "  3                              0              10  a\n");
}

TEST(EvaluationSummary, PrefersLessFuelWhereScoresAreEqual) {
  EvaluationSummary summary;
  Record expensive = scored(0, 1);
  expensive.fuel_used = 11;
  add(summary, batch({expensive, scored(1, 1), scored(2, 1)}), kCandidateNames, 5);
  EXPECT_THAT(best_rows(summary), ElementsAre(1, 2, 0));
}

TEST(EvaluationSummary, KeepsTheLowestScoresAndTheEarliestOfEqualOnes) {
  EvaluationSummary summary;
  add(summary, batch({scored(0, 2), scored(1, 1), scored(2, 2), scored(3, -1)}), kCandidateNames, 3);
  EXPECT_THAT(best_rows(summary), ElementsAre(3, 1, 0));
  add(summary, batch({scored(0, 1)}), kCandidateNames, 3);
  EXPECT_THAT(best_rows(summary), ElementsAre(3, 1, 4));
}

TEST(EvaluationSummary, NamesACandidateOfTwoBatchesOnce) {
  EvaluationSummary summary;
  add(summary, batch({scored(0, 1, 7), scored(1, 2, 8)}), kCandidateNames, 5);
  add(summary, batch({scored(0, 1, 7), scored(1, 3, 9)}), kCandidateNames, 5);
  EXPECT_THAT(best_rows(summary), ElementsAre(0, 1, 3));
}

TEST(EvaluationSummary, NeverCallsNanOrARepetitionBest) {
  EvaluationSummary summary;
  Record repeated = scored(2, 0);
  repeated.repeats_row = 1;
  add(summary, batch({scored(0, std::nan("")), scored(1, 0), repeated}), kCandidateNames, 5);
  EXPECT_THAT(best_rows(summary), ElementsAre(1));
}

TEST(EvaluationSummary, SaysWhenNoScoreIsANumber) {
  EvaluationSummary summary{.candidates = 1};
  add(summary, batch({scored(0, std::nan(""))}), kCandidateNames, 5);
  EXPECT_THAT(to_text(summary), HasSubstr("no candidate has a score that is a number\n"));
}

TEST(EvaluationSummary, CountsCancelledRowsAsNotDone) {
  EvaluationSummary summary{.candidates = 2};
  add(summary, batch({scored(0, 1), failed(1, ErrorCode::cancelled)}), kCandidateNames, 5);
  EXPECT_EQ(to_json(summary)["done"], 1);
  EXPECT_EQ(to_json(summary)["errors"], Json::object());
}

TEST(EvaluationSummary, SumsFuelWithoutOverflow) {
  EvaluationSummary summary;
  Record greedy = scored(0, 1);
  greedy.fuel_used = std::numeric_limits<std::uint64_t>::max() - 5;
  add(summary, batch({greedy, scored(1, 1)}), kCandidateNames, 5);
  EXPECT_EQ(summary.fuel_used, std::numeric_limits<std::uint64_t>::max());
}

TEST(EvaluationSummary, EscapesTheNamesOfFiles) {
  EvaluationSummary summary{.candidates = 1};
  add(summary, batch({scored(0, 1)}), std::vector<std::string>{"a\n\x1b[31m.wat"}, 5);
  EXPECT_THAT(to_text(summary), HasSubstr("a\\n\\x1b[31m.wat\n"));
}

TEST(EvaluationSummary, IsTheSameAsJson) {
  EvaluationSummary summary{.candidates = 3, .ignored_files = 1};
  add(summary, batch({scored(0, std::numeric_limits<double>::infinity(), 0), failed(1, ErrorCode::rejected)}),
      kCandidateNames, 5);
  EXPECT_EQ(
      to_line(to_json(summary)),
      "{\"candidates\":3,\"done\":2,\"outcomes\":{\"ok\":1},\"errors\":{\"rejected\":1},\"evaluated\":2,\"repeated\":0,"
      "\"cache_hits\":0,\"promoted\":0,\"fuel_used\":10,\"ignored_files\":1,\"best\":[{\"row\":0,\"score\":\"inf\","
      "\"fuel_used\":10,\"artifact\":\"" +
          std::string(64, '0') + "\",\"name\":\"a\"}],\"wall_time_ns\":1000000000,\"per_second\":2.0}\n");
}

}  // namespace
}  // namespace petri::cli
