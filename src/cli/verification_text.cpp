#include "cli/verification_text.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

std::string rows_text(std::size_t rows) { return rows == 1 ? "1 row" : fmt::format("{} rows", format_count(rows)); }

// "row 3 (line 5)", or the first line, which is about all rows.
std::string place_text(const Difference& difference) {
  if (!difference.row) return "the first line";
  return fmt::format("row {} (line {})", format_count(*difference.row), difference.line);
}

std::string first_line(const VerificationReport& report) {
  const Verification& verification = report.verification;
  const std::string file = file_title(report.file);
  if (verification.difference) {
    return fmt::format("different: {}: {}, field \"{}\"\n  in the file: {}\n  found:       {}\n", file,
                       place_text(*verification.difference), verification.difference->field,
                       verification.difference->in_file, verification.difference->found);
  }
  const std::string of = fmt::format("{} of {}", format_count(verification.verified), rows_text(verification.rows));
  if (verification.cancelled) return fmt::format("stopped: {}: {} verified, no difference so far\n", file, of);
  if (verification.verified == 0) return fmt::format("nothing verified: {}: {}\n", file, of);
  return fmt::format("verified: {}: {} run again, all the same\n", file, of);
}

std::string line_if(std::size_t rows, std::string_view why) {
  return rows == 0 ? "" : fmt::format("  not compared: {} {}\n", rows_text(rows), why);
}

}  // namespace

std::string to_text(const VerificationReport& report) {
  const Verification& verification = report.verification;
  std::string text = first_line(report);
  text += line_if(verification.not_repeatable, "ended by time, which nothing can repeat");
  text += line_if(verification.left_out, "with a candidate too large to be in the file");
  text += line_if(verification.not_sampled, "outside the sample");
  if (report.scored_by == ScoredBy::host) text += "  not compared: scores, which a program around petri gave\n";
  if (!report.receipts) text += "  not compared: receipts, which the file does not have\n";
  return text;
}

Json to_json(const VerificationReport& report) {
  const Verification& verification = report.verification;
  Json object{{"rows", verification.rows},
              {"verified", verification.verified},
              {"not_repeatable", verification.not_repeatable},
              {"left_out", verification.left_out},
              {"not_sampled", verification.not_sampled},
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
