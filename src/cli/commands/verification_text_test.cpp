#include "cli/commands/verification_text.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

// The report of a file with its final line.
VerificationReport report_of(Verification verification) {
  verification.whole = true;
  return {.file = "out.jsonl", .verification = std::move(verification)};
}

TEST(VerificationText, SaysThatAllIsTheSame) {
  EXPECT_EQ(to_text(report_of({.rows = 1'200, .verified = 1'200})),
            "verified: out.jsonl: 1,200 of 1,200 rows run again, all the same\n");
}

TEST(VerificationText, SaysWhatWasNotCompared) {  // B23
  VerificationReport report = report_of({.rows = 12,
                                         .verified = 3,
                                         .not_repeatable = 1,
                                         .left_out = 2,
                                         .over_limits = 1,
                                         .failed_here = 1,
                                         .not_sampled = 4,
                                         .cancelled_rows = 5,
                                         .listed = {{.row = 1, .line = 3, .why = "time ended it"}}});
  report.scored_by = ScoredBy::host;
  report.receipts = false;
  EXPECT_EQ(to_text(report),
            "incomplete: out.jsonl: 3 of 12 rows run again, all the same\n"
            "  not compared: 1 row ended by time, which nothing can repeat\n"
            "  not compared: 2 rows with a candidate too large to be in the file\n"
            "  not compared: 1 row over the limits given here\n"
            "  not compared: 1 row that petri or the machine failed to run\n"
            "    row 1 (line 3): time ended it\n"
            "    and 4 more\n"
            "  not compared: 4 rows outside the sample\n"
            "  not in the file: 5 rows that the run left out\n"
            "  not compared: scores, which a program around petri gave\n"
            "  not compared: receipts, which the file does not have\n");
}

TEST(VerificationText, DoesNotCallNothingVerified) {
  EXPECT_EQ(to_text(report_of({.rows = 1, .not_repeatable = 1})),
            "incomplete: out.jsonl: 0 of 1 row run again\n"
            "  not compared: 1 row ended by time, which nothing can repeat\n"
            "    and 1 more\n");
}

TEST(VerificationText, SaysThatTheFinalLineIsMissing) {  // B20
  VerificationReport report = report_of({.rows = 2, .verified = 2});
  report.verification.whole = false;
  EXPECT_EQ(to_text(report),
            "incomplete: out.jsonl: 2 of 2 rows run again, all the same\n"
            "  not in the file: its final line; the run was killed, is still going, or lines were taken away\n");
}

TEST(VerificationText, KnowsTheFinalLineHasNoRow) {
  const Difference difference{.line = 9, .field = "records", .in_file = "8", .found = "7"};
  EXPECT_EQ(to_text(report_of({.difference = difference})),
            "different: out.jsonl: the final line (line 9), field \"records\"\n"
            "  in the file: 8\n"
            "  found:       7\n");
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
