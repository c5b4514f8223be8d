#include "cli/commands/scan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/units.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

constexpr std::size_t kPlacesShown = 5;
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

void add_report(Json& object, const ScanReport& report, Severity shown_from) {
  object["artifact"] = report.artifact.hex();
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    if (finding.severity >= shown_from) findings.push_back(finding_json(finding));
  }
  object["findings"] = std::move(findings);
  Json counts = Json::object();
  for (const Severity severity : kWorstFirst) counts[std::string(name_of(severity))] = report.count(severity);
  object["counts"] = std::move(counts);
}

bool is_alike(const Finding& a, const Finding& b) { return a.kind == b.kind && a.severity == b.severity; }

// "in function 0 \"spin\" at byte 33: no way leads out of this loop"
std::string without_kind(const Finding& finding) { return to_text(finding).substr(name_of(finding.kind).size() + 1); }

std::string place_of(const Finding& finding) {
  const std::string text = without_kind(finding);
  return text.substr(0, text.size() - std::min(text.size(), finding.text.size() + 2));
}

// Several findings of one kind: what they have in common stands once.
std::string group_text(const std::vector<const Finding*>& group) {
  const Finding& first = *group.front();
  const bool one_text = std::ranges::all_of(group, [&](const Finding* one) { return one->text == first.text; });
  std::string text = fmt::format("  {:<7} {}, {} findings{}\n", name_of(first.severity), name_of(first.kind),
                                 format_count(group.size()), one_text ? ": " + first.text : "");
  for (std::size_t i = 0; i < std::min(group.size(), kPlacesShown); ++i)
    text += fmt::format("          {}\n", one_text ? place_of(*group[i]) : without_kind(*group[i]));
  if (group.size() > kPlacesShown)
    text += fmt::format("          and {} more\n", format_count(group.size() - kPlacesShown));
  return text;
}

// In the order in which the first finding of each kind comes.
std::vector<std::vector<const Finding*>> groups_of(const ScannedFile& scanned) {
  std::vector<std::vector<const Finding*>> groups;
  for (const Finding& finding : scanned.report->findings) {
    if (finding.severity < scanned.shown_from) continue;
    const auto group = std::ranges::find_if(groups, [&](const auto& one) { return is_alike(*one.front(), finding); });
    group == groups.end() ? groups.push_back({&finding}) : group->push_back(&finding);
  }
  return groups;
}

}  // namespace

std::string to_text(const ScannedFile& scanned) {
  const ScanReport& report = *scanned.report;
  std::string text = fmt::format("{}: {}\n", file_title(scanned.file), counts_text(report));
  for (const std::vector<const Finding*>& group : groups_of(scanned)) {
    const Finding& first = *group.front();
    text += group.size() > 1 ? group_text(group) : fmt::format("  {:<7} {}\n", name_of(first.severity), to_text(first));
  }
  if (report.not_kept() > 0)
    text += fmt::format("  and {} more, none of them more severe\n", format_count(report.not_kept()));
  return text;
}

Json to_json(const ScannedFile& scanned) {
  Json object{{"file", scanned.file}};
  if (scanned.report) add_report(object, *scanned.report, scanned.shown_from);
  if (scanned.error) object["error"] = to_json(*scanned.error);
  return object;
}

}  // namespace petri::cli
