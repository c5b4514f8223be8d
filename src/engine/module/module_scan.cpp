#include "engine/module/module_scan.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "base/assert.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "engine/wasm_text.h"

namespace petri {
namespace {

constexpr std::size_t kNameBytesMax = 100;
constexpr std::uint32_t kNoFunction = UINT32_MAX;

static_assert(static_cast<int>(FindingKind::memory_minimum) == PETRI_FOUND_MEMORY_MINIMUM &&
              static_cast<int>(FindingKind::memory_unbounded) == PETRI_FOUND_MEMORY_UNBOUNDED &&
              static_cast<int>(FindingKind::table_minimum) == PETRI_FOUND_TABLE_MINIMUM &&
              static_cast<int>(FindingKind::start_function) == PETRI_FOUND_START_FUNCTION &&
              static_cast<int>(FindingKind::endless_loop) == PETRI_FOUND_ENDLESS_LOOP &&
              static_cast<int>(FindingKind::indirect_calls) == PETRI_FOUND_INDIRECT_CALLS &&
              static_cast<int>(FindingKind::large_function) == PETRI_FOUND_LARGE_FUNCTION &&
              static_cast<int>(FindingKind::custom_section) == PETRI_FOUND_CUSTOM_SECTION &&
              static_cast<int>(FindingKind::debug_information) == PETRI_FOUND_DEBUG_INFORMATION &&
              static_cast<int>(FindingKind::large_data) == PETRI_FOUND_LARGE_DATA);
static_assert(static_cast<int>(Severity::info) == PETRI_INFO && static_cast<int>(Severity::low) == PETRI_LOW &&
              static_cast<int>(Severity::medium) == PETRI_MEDIUM && static_cast<int>(Severity::high) == PETRI_HIGH);

struct DropScan {
  void operator()(petri_scan* scan) const { petri_scan_drop(scan); }
};
using ScanHandle = std::unique_ptr<petri_scan, DropScan>;

// Names of functions for people. Exports are gone through once, and only when a function has no name of its own.
class FunctionNames {
 public:
  FunctionNames(const petri_artifact& handle, const LoadableArtifact& artifact)
      : handle_(handle), artifact_(artifact) {}

  std::string of(std::uint32_t function) {
    const std::string_view name = to_view(petri_artifact_function_name(&handle_, function));
    return escape_text(name.empty() ? exported_as(function) : name, kNameBytesMax);
  }

 private:
  std::string_view exported_as(std::uint32_t function) {
    if (!read_) read_exports();
    const auto found = exports_.find(function);
    return found == exports_.end() ? std::string_view() : found->second;
  }

  void read_exports() {
    read_ = true;
    for (std::uint32_t index = 0; index < artifact_.facts().exports; ++index) {
      const ExportView view = artifact_.export_at(index);
      if (view.kind == ExternKind::function) exports_.emplace(view.index, view.name);
    }
  }

  const petri_artifact& handle_;
  const LoadableArtifact& artifact_;
  bool read_ = false;
  std::unordered_map<std::uint32_t, std::string_view> exports_;
};

std::string_view endless_loop_text(Severity severity) {
  switch (severity) {
    case Severity::high:
      return "no way leads out of this loop, and nothing in it can trap or calls: only a limit ends it";
    case Severity::medium: return "no way leads out of this loop: only a trap or a limit ends it";
    default: return "no way leads out of this loop: only what it calls, a trap or a limit ends it";
  }
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", format_count(count), many);
}

std::string section_text(const petri_finding& finding) {
  return fmt::format("section \"{}\" of {}", escape_text(to_view(finding.name), kNameBytesMax),
                     format_bytes(finding.number));
}

std::string text_of(const petri_finding& finding) {
  switch (finding.kind) {
    case PETRI_FOUND_MEMORY_MINIMUM: return fmt::format("{} of memory at the start", format_bytes(finding.number));
    case PETRI_FOUND_MEMORY_UNBOUNDED: return "its memory has no maximum of its own";
    case PETRI_FOUND_TABLE_MINIMUM:
      return counted(finding.number, "table slot at the start", "table slots at the start");
    case PETRI_FOUND_START_FUNCTION: return "it runs when the module is instantiated";
    case PETRI_FOUND_ENDLESS_LOOP: return std::string(endless_loop_text(static_cast<Severity>(finding.severity)));
    case PETRI_FOUND_INDIRECT_CALLS: return counted(finding.number, "call through a table", "calls through tables");
    case PETRI_FOUND_LARGE_FUNCTION: return fmt::format("{} of code", format_bytes(finding.number));
    case PETRI_FOUND_CUSTOM_SECTION:
    case PETRI_FOUND_DEBUG_INFORMATION: return section_text(finding);
    case PETRI_FOUND_LARGE_DATA: return fmt::format("{} in one data segment", format_bytes(finding.number));
    default: PETRI_UNREACHABLE();
  }
}

Finding to_finding(const petri_finding& finding, FunctionNames& names) {
  Finding result{.kind = static_cast<FindingKind>(finding.kind),
                 .severity = static_cast<Severity>(finding.severity),
                 .offset = finding.offset,
                 .number = finding.number,
                 .text = text_of(finding)};
  if (finding.function == kNoFunction) return result;
  result.function = finding.function;
  result.function_name = names.of(finding.function);
  return result;
}

ScanReport to_report(const petri_scan& scan, const LoadableArtifact& artifact, FunctionNames names) {
  ScanReport report{.artifact = artifact.id(), .findings = {}};
  for (std::uint32_t severity = 0; severity < kSeverities; ++severity)
    report.counts[severity] = petri_scan_count(&scan, severity);
  report.findings.reserve(petri_scan_kept(&scan));
  for (std::uint32_t index = 0; index < petri_scan_kept(&scan); ++index) {
    petri_finding finding;
    PETRI_ASSERT(petri_scan_finding(&scan, index, &finding) == PETRI_OK);
    report.findings.push_back(to_finding(finding, names));
  }
  return report;
}

}  // namespace

Result<ScanReport> scan_module(const petri_artifact& handle, const LoadableArtifact& artifact,
                               std::uint32_t findings_max) {
  petri_scan* scan = nullptr;
  petri_error error;
  if (petri_artifact_scan(&handle, findings_max, &scan, &error) != PETRI_OK) return fail(to_error(error));
  const ScanHandle owned(scan);
  return to_report(*scan, artifact, {handle, artifact});
}

}  // namespace petri
