#include "cli/commands/verification_text.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

std::string rows_text(std::size_t rows) { return rows == 1 ? "1 row" : fmt::format("{} rows", format_count(rows)); }

// "row 3 (line 5)", or the first or the final line, which are about all rows.
std::string place_text(const Difference& difference) {
  if (difference.row) return fmt::format("row {} (line {})", format_count(*difference.row), difference.line);
  return difference.line == 1 ? "the first line" : fmt::format("the final line (line {})", difference.line);
}

std::string first_line(const VerificationReport& report) {
  const Verification& verification = report.verification;
  const std::string file = file_title(report.file);
  const std::string of = fmt::format("{} of {}", format_count(verification.verified), rows_text(verification.rows));
  switch (verification.verdict()) {
    case VerificationVerdict::verified: return fmt::format("verified: {}: {} run again, all the same\n", file, of);
    case VerificationVerdict::incomplete:
      return fmt::format("incomplete: {}: {} run again{}\n", file, of,
                         verification.verified > 0 ? ", all the same" : "");
    case VerificationVerdict::stopped: return fmt::format("stopped: {}: {} verified, no difference so far\n", file, of);
    case VerificationVerdict::different: break;
  }
  const Difference& difference = *verification.difference;
  return fmt::format("different: {}: {}, field \"{}\"\n  in the file: {}\n  found:       {}\n", file,
                     place_text(difference), difference.field, difference.in_file, difference.found);
}

std::string line_if(std::size_t rows, std::string_view why) {
  return rows == 0 ? "" : fmt::format("  not compared: {} {}\n", rows_text(rows), why);
}

// Each row that was not verified, as far as they are listed.
std::string rows_listed(const Verification& verification) {
  std::string text;
  for (const NotVerified& one : verification.listed) {
    text += fmt::format("    row {} (line {}): {}\n", format_count(one.row), one.line, one.why);
  }
  const std::size_t all =
      verification.not_repeatable + verification.left_out + verification.over_limits + verification.failed_here;
  if (all > verification.listed.size()) {
    text += fmt::format("    and {} more\n", format_count(all - verification.listed.size()));
  }
  return text;
}

std::string file_notes(const VerificationReport& report) {
  const Verification& verification = report.verification;
  const VerificationVerdict verdict = verification.verdict();
  const bool ended = verdict == VerificationVerdict::verified || verdict == VerificationVerdict::incomplete;
  std::string text;
  if (ended && !verification.whole)
    text += "  not in the file: its final line; the run was killed, is still going, or lines were taken away\n";
  if (verification.cancelled_rows > 0)
    text += fmt::format("  not in the file: {} that the run left out\n", rows_text(verification.cancelled_rows));
  return text;
}

Json listed_json(const Verification& verification) {
  Json rows = Json::array();
  for (const NotVerified& one : verification.listed) {
    rows.push_back({{"row", one.row}, {"line", one.line}, {"why", one.why}});
  }
  return rows;
}

}  // namespace

std::string to_text(const VerificationReport& report) {
  const Verification& verification = report.verification;
  std::string text = first_line(report);
  text += line_if(verification.not_repeatable, "ended by time, which nothing can repeat");
  text += line_if(verification.left_out, "with a candidate too large to be in the file");
  text += line_if(verification.over_limits, "over the limits given here");
  text += line_if(verification.failed_here, "that petri or the machine failed to run");
  text += rows_listed(verification);
  text += line_if(verification.not_sampled, "outside the sample");
  text += file_notes(report);
  if (report.scored_by == ScoredBy::host) text += "  not compared: scores, which a program around petri gave\n";
  if (!report.receipts) text += "  not compared: receipts, which the file does not have\n";
  return text;
}

Json to_json(const VerificationReport& report) {
  const Verification& verification = report.verification;
  Json object{{"verdict", name_of(verification.verdict())},
              {"rows", verification.rows},
              {"verified", verification.verified},
              {"not_repeatable", verification.not_repeatable},
              {"left_out", verification.left_out},
              {"over_limits", verification.over_limits},
              {"failed_here", verification.failed_here},
              {"not_verified", listed_json(verification)},
              {"not_sampled", verification.not_sampled},
              {"cancelled_rows", verification.cancelled_rows},
              {"whole", verification.whole},
              {"scored_by", name_of(report.scored_by)},
              {"receipts", report.receipts},
              {"interrupted", verification.cancelled},
              {"difference", nullptr}};
  if (!verification.difference) return object;
  const Difference& difference = *verification.difference;
  object["difference"] = {{"row", difference.row ? Json(*difference.row) : Json(nullptr)},
                          {"line", difference.line},
                          {"field", difference.field},
                          {"in_file", difference.in_file},
                          {"found", difference.found}};
  return object;
}

}  // namespace petri::cli
