#include "petri/scan.h"

#include <fmt/format.h>

#include <numeric>

#include "base/name_table.h"
#include "security/finding_rules.h"

namespace petri {
namespace {

constexpr NameTable<kSeverities> kSeverityNames{"info", "low", "medium", "high"};
static_assert(static_cast<std::size_t>(Severity::high) + 1 == kSeverityNames.size());

std::string function_text(const Finding& finding) {
  if (!finding.function) return "";
  const std::string name = finding.function_name.empty() ? "" : fmt::format(" \"{}\"", finding.function_name);
  return fmt::format(" in function {}{}", *finding.function, name);
}

std::string way_out(const Finding& finding) {
  if (finding.severity == Severity::high) return "or let findings of every severity pass";
  return "or refuse only what is more severe";
}

}  // namespace

std::string_view name_of(Severity severity) { return name_in(kSeverityNames, severity); }
std::optional<Severity> severity_named(std::string_view name) { return find_name<Severity>(kSeverityNames, name); }

std::string_view name_of(FindingKind kind) { return rule_of(kind).name; }

std::optional<FindingKind> finding_kind_named(std::string_view name) {
  for (const FindingRule& rule : finding_rules()) {
    if (rule.name == name) return rule.kind;
  }
  return std::nullopt;
}

std::string to_text(const Finding& finding) {
  return fmt::format("{}{} at byte {}: {}", name_of(finding.kind), function_text(finding), finding.offset,
                     finding.text);
}

std::uint64_t ScanReport::total() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

std::optional<Finding> worst(const ScanReport& report) {
  if (report.findings.empty()) return std::nullopt;
  return report.findings.front();
}

Result<void> check_findings(const ScanReport& report, Severity refused_from) {
  const auto finding = worst(report);
  if (!finding || finding->severity < refused_from) return {};
  Error error{.code = ErrorCode::rejected,
              .message = fmt::format("the module is not accepted: the scan has a finding of severity {}, {}; change "
                                     "the module, {}",
                                     name_of(finding->severity), to_text(*finding), way_out(*finding)),
              .details = {}};
  error = std::move(error)
              .with("component", "gate")
              .with("finding", std::string(name_of(finding->kind)))
              .with("severity", std::string(name_of(finding->severity)))
              .with("offset", std::to_string(finding->offset));
  if (finding->function) error = std::move(error).with("function", std::to_string(*finding->function));
  return fail(std::move(error));
}

}  // namespace petri
