#include "petri/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/access.h"
#include "engine/loadable_artifact.h"
#include "engine/module/hook_exports.h"
#include "host/scan/scan_imports.h"

namespace petri {
namespace {

void add(ScanReport& report, Finding finding) {
  ++report.counts[static_cast<std::size_t>(finding.severity)];
  report.findings.push_back(std::move(finding));
}

// A function that is imported goes by its import, and so does its place among the functions.
void add_imports(ScanReport& report, const LoadableArtifact& artifact, const HostFunctions::Impl& host) {
  std::uint32_t functions = 0;
  for (std::uint32_t index = 0; index < artifact.facts().imports; ++index) {
    const ImportView import = artifact.import_at(index);
    const bool is_function = import.kind == ExternKind::function;
    auto finding = import_finding(import, host.find(import.module, import.name));
    if (finding && is_function) finding->function = functions;
    if (finding) add(report, std::move(*finding));
    functions += is_function ? 1 : 0;
  }
}

bool is_hook(const ExportView& view) {
  return std::ranges::any_of(hook_exports(), [&view](const HookExport& hook) { return hook.name == view.name; });
}

void add_hooks(ScanReport& report, const LoadableArtifact& artifact) {
  for (std::uint32_t index = 0; index < artifact.facts().exports; ++index) {
    const ExportView view = artifact.export_at(index);
    if (!is_hook(view)) continue;
    Finding finding{.kind = FindingKind::hook_export, .offset = view.offset};
    const bool is_function = view.kind == ExternKind::function;
    if (is_function) finding.function = view.index;
    finding.text = fmt::format("petri {} the export {}", is_function ? "calls" : "reads", view.name);
    add(report, std::move(finding));
  }
}

// The most severe first, then by place, then by kind: a memory may have two findings.
bool comes_before(const Finding& a, const Finding& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  return std::tie(a.offset, a.kind) < std::tie(b.offset, b.kind);
}

void put_in_order(ScanReport& report, std::size_t findings_max) {
  std::ranges::sort(report.findings, comes_before);
  if (report.findings.size() > findings_max) report.findings.resize(findings_max);
}

}  // namespace

Result<ScanReport> scan(const Artifact& artifact, const HostFunctions& host, const ScanSpec& spec) {
  if (spec.findings_max == 0)
    return fail(ErrorCode::validation_failed, "findings_max is 0, and a scan keeps at least one finding");
  PETRI_TRY(ScanReport report, loadable(artifact).scan(spec.findings_max));
  add_imports(report, loadable(artifact), detail::Access::impl(host));
  add_hooks(report, loadable(artifact));
  put_in_order(report, spec.findings_max);
  return report;
}

Result<ScanReport> scan(const Artifact& artifact) { return scan(artifact, HostFunctions()); }

}  // namespace petri
