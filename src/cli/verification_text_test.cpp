#include "cli/verification_text.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

VerificationReport report_of(Verification verification) {
  return {.file = "out.jsonl", .verification = std::move(verification)};
}

TEST(VerificationText, SaysThatAllIsTheSame) {
  EXPECT_EQ(to_text(report_of({.rows = 1'200, .verified = 1'200})),
            "verified: out.jsonl: 1,200 of 1,200 rows run again, all the same\n");
}

TEST(VerificationText, SaysWhatWasNotCompared) {  // B23
  VerificationReport report =
      report_of({.rows = 10, .verified = 3, .not_repeatable = 1, .left_out = 2, .not_sampled = 4});
  report.scored_by = ScoredBy::host;
  report.receipts = false;
  EXPECT_EQ(to_text(report),
            "verified: out.jsonl: 3 of 10 rows run again, all the same\n"
            "  not compared: 1 row ended by time, which nothing can repeat\n"
            "  not compared: 2 rows with a candidate too large to be in the file\n"
            "  not compared: 4 rows outside the sample\n"
            "  not compared: scores, which a program around petri gave\n"
            "  not compared: receipts, which the file does not have\n");
}

TEST(VerificationText, DoesNotCallNothingVerified) {
  EXPECT_EQ(to_text(report_of({.rows = 1, .not_repeatable = 1})),
            "nothing verified: out.jsonl: 0 of 1 row\n"
            "  not compared: 1 row ended by time, which nothing can repeat\n");
}

TEST(VerificationText, NamesTheFirstDifference) {  // B17
  const Difference difference{.row = 3, .line = 5, .field = "fuel", .in_file = "9", .found = "8"};
  EXPECT_EQ(to_text(report_of({.rows = 10, .verified = 3, .difference = difference})),
            "different: out.jsonl: row 3 (line 5), field \"fuel\"\n"
            "  in the file: 9\n"
            "  found:       8\n");
  EXPECT_EQ(to_json(report_of({.rows = 10, .difference = difference}))["difference"].dump(),
            R"({"row":3,"line":5,"field":"fuel","in_file":"9","found":"8"})");
}

TEST(VerificationText, KnowsTheFirstLineHasNoRow) {
  const Difference difference{.line = 1, .field = "spec", .in_file = "aa", .found = "bb"};
  EXPECT_EQ(to_text(report_of({.difference = difference})),
            "different: out.jsonl: the first line, field \"spec\"\n"
            "  in the file: aa\n"
            "  found:       bb\n");
  EXPECT_TRUE(to_json(report_of({.difference = difference}))["difference"]["row"].is_null());
}

TEST(VerificationText, SaysThatItWasStopped) {
  EXPECT_EQ(to_text(report_of({.rows = 10, .verified = 3, .cancelled = true})),
            "stopped: out.jsonl: 3 of 10 rows verified, no difference so far\n");
}

}  // namespace
}  // namespace petri::cli
