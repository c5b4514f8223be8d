#include "cli/commands/scan_text.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

constexpr Severity kWorstFirst[] = {Severity::high, Severity::medium, Severity::low, Severity::info};

// "1 high, 2 info"
std::string counts_text(const ScanReport& report) {
  std::string text;
  for (const Severity severity : kWorstFirst) {
    if (report.count(severity) == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(report.count(severity)), name_of(severity));
  }
  return text.empty() ? "nothing found" : text;
}

Json finding_json(const Finding& finding) {
  Json object{{"kind", name_of(finding.kind)}, {"severity", name_of(finding.severity)}};
  if (finding.function) object["function"] = *finding.function;
  if (!finding.function_name.empty()) object["function_name"] = finding.function_name;
  object["offset"] = finding.offset;
  object["number"] = finding.number;
  object["text"] = finding.text;
  return object;
}

void add_report(Json& object, const ScanReport& report) {
  object["artifact"] = report.artifact.hex();
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(finding_json(finding));
  object["findings"] = std::move(findings);
  Json counts = Json::object();
  for (const Severity severity : kWorstFirst) counts[std::string(name_of(severity))] = report.count(severity);
  object["counts"] = std::move(counts);
}

}  // namespace

std::string to_text(const ScannedFile& scanned) {
  const ScanReport& report = *scanned.report;
  std::string text = fmt::format("{}: {}\n", file_title(scanned.file), counts_text(report));
  for (const Finding& finding : report.findings)
    text += fmt::format("  {:<7} {}\n", name_of(finding.severity), to_text(finding));
  if (report.not_kept() > 0)
    text += fmt::format("  and {} more, none of them more severe\n", format_count(report.not_kept()));
  return text;
}

Json to_json(const ScannedFile& scanned) {
  Json object{{"file", scanned.file}};
  if (scanned.report) add_report(object, *scanned.report);
  if (scanned.error) object["error"] = to_json(*scanned.error);
  return object;
}

}  // namespace petri::cli
