// The scan: finds out from its wasm what a module would do, without running any of it.
//
// It looks at imports, demands, sections and the flow of control. The names of functions and the contents of data never
// matter; only names that something acts on do: imports, hooks, custom sections. Bytes become an Artifact first, so
// that the gate refuses them before, by the same error. A clean report is no proof of anything; a guest is held by its
// limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/outcome.h"
#include "petri/result.h"

namespace petri {

class Artifact;
class HostFunctions;

// info: ordinary code has it too; low: worth a look; medium: ordinary code rarely has it; high: no code has use for it.
enum class Severity : std::uint8_t { info, low, medium, high };
constexpr std::size_t kSeverities = 4;
std::string_view name_of(Severity severity);
std::optional<Severity> severity_named(std::string_view name);

// docs/reference/findings.md says what each means and how severe it is.
enum class FindingKind : std::uint8_t {
  memory_minimum,
  memory_unbounded,
  table_minimum,
  start_function,
  endless_loop,
  indirect_calls,
  large_function,
  custom_section,
  debug_information,
  large_data,
  hook_export,
  // Imports by family: in the order of Permission, then those no permission stands for.
  imports_messages,
  imports_timers,
  imports_spawn,
  imports_log,
  imports_clock,
  imports_random,
  imports_file_read,
  imports_file_write,
  imports_embedder,
  imports_unknown,
};
std::string_view name_of(FindingKind kind);
std::optional<FindingKind> finding_kind_named(std::string_view name);

// Strings may quote the guest; what they quote is escaped and cut.
struct Finding {
  FindingKind kind = FindingKind::memory_minimum;
  Severity severity = Severity::info;
  std::optional<std::uint32_t> function;  // its index in the module
  std::string function_name;              // from the name section, else an export of it, else empty
  std::uint64_t offset = 0;               // in the module's bytes
  std::uint64_t number = 0;               // bytes, slots or calls, where there is something to count
  std::string text;                       // "64 KiB at the start", "petri.clock_ms"
  bool operator==(const Finding&) const = default;
};
// "endless_loop in function 3 \"spin\" at byte 79: no way leads out of it ..."
std::string to_text(const Finding& finding);

// The findings of a scan.
struct ScanReport {
  ArtifactId artifact;
  std::vector<Finding> findings;                    // the most severe first, and those of one severity by their offset
  std::array<std::uint64_t, kSeverities> counts{};  // of each severity; those that were not kept count too

  // Numbers of findings: of a severity, of all, and of those beyond findings_max.
  std::uint64_t count(Severity severity) const { return counts[static_cast<std::size_t>(severity)]; }
  std::uint64_t total() const;
  std::uint64_t not_kept() const { return total() - findings.size(); }
};

// The most severe finding, and of several the first in the module. Nothing when there is none.
std::optional<Finding> worst(const ScanReport& report);

// rejected when a finding is of this severity or above; the sentence names the worst, its function and its place.
Result<void> check_findings(const ScanReport& report, Severity refused_from);

// The bounds of a scan.
struct ScanSpec {
  // The most severe are kept, the rest is counted. 0 is validation_failed: a report without findings says that all is
  // well.
  std::uint32_t findings_max = 1'000;
};

// Imports are judged by what `host` offers. Takes time linear in the module's bytes. Safe to call from any thread.
Result<ScanReport> scan(const Artifact& artifact, const HostFunctions& host, const ScanSpec& spec = {});
// Scans for a host that offers petri's own functions.
Result<ScanReport> scan(const Artifact& artifact);

}  // namespace petri
