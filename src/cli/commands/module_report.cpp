#include "cli/commands/module_report.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri::cli {
namespace {

constexpr std::uint64_t kPageBytes = 64ULL << 10;
constexpr std::uint64_t kTableSlotBytes = 8;
constexpr std::size_t kNameColumnBytesMax = 60;

std::string column_name(std::string_view name) { return escape_text(name, kNameColumnBytesMax); }

// The bytes that the meter had to work on: custom sections are not passed on to the engines.
std::uint64_t bytes_to_meter(const ModuleReport& report) {
  std::uint64_t bytes = report.info.bytes;
  for (const Section& section : report.sections) bytes -= section.custom ? section.bytes : 0;
  return bytes;
}

double meter_ratio(const ModuleReport& report) {
  return static_cast<double>(report.info.metered_bytes) / static_cast<double>(bytes_to_meter(report));
}

std::uint64_t bytes_at_start(const ModuleInfo& info) {
  return info.memory_pages_min * kPageBytes + info.table_slots_min * kTableSlotBytes;
}

std::vector<std::string> refusals(const ModuleReport& report, const Limits& limits) {
  std::vector<std::string> refused;
  for (const ImportFinding& finding : report.imports) {
    if (finding.verdict == ImportVerdict::offered) continue;
    refused.push_back(fmt::format("import {}.{}: {}", column_name(finding.import.module),
                                  column_name(finding.import.name), finding.reason));
  }
  if (bytes_at_start(report.info) > limits.memory_bytes_max) {
    refused.push_back(fmt::format("memory: it starts with {}, more than memory_bytes_max = {}",
                                  format_bytes(bytes_at_start(report.info)), format_bytes(limits.memory_bytes_max)));
  }
  return refused;
}

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<12} {}\n", label, text); }

std::string joined(const std::vector<std::string>& words, std::string_view if_none) {
  return words.empty() ? std::string(if_none) : fmt::format("{}", fmt::join(words, ", "));
}

std::string memory_text(const ModuleInfo& info) {
  if (info.memories == 0) return "none";
  const std::string most = info.memory_pages_max
                               ? fmt::format("at most {}", format_bytes(*info.memory_pages_max * kPageBytes))
                               : "no maximum of its own";
  return fmt::format("{} at the start, {}", format_bytes(info.memory_pages_min * kPageBytes), most);
}

std::string tables_text(const ModuleInfo& info) {
  if (info.tables == 0) return "none";
  return fmt::format("{}, {} slots at the start", info.tables, format_count(info.table_slots_min));
}

std::string counts_text(const ModuleInfo& info) {
  return fmt::format("functions {} ({} of code), types {}, globals {}, element segments {}, data segments {}",
                     format_count(info.functions), format_bytes(info.code_bytes), info.types, info.globals,
                     info.element_segments, info.data_segments);
}

std::string movable_text(const ModuleInfo& info) {
  return info.not_movable_because.empty() ? "yes" : fmt::format("no: {}", fmt::join(info.not_movable_because, "; "));
}

std::string meter_text(const ModuleReport& report) {
  return fmt::format("{} without custom sections become {} ({:.2f} times)", format_bytes(bytes_to_meter(report)),
                     format_bytes(report.info.metered_bytes), meter_ratio(report));
}

std::string summary(const ModuleReport& report) {
  const ModuleInfo& info = report.info;
  return line("sha256", info.id.hex()) + line("holds", counts_text(info)) + line("memory", memory_text(info)) +
         line("tables", tables_text(info)) + line("start", info.has_start ? "runs code when instantiated" : "none") +
         line("features", joined(info.features, "none beyond the MVP")) + line("movable", movable_text(info)) +
         line("meter", meter_text(report));
}

std::string type_of(const ImportInfo& import) {
  return import.kind == ExternKind::function ? to_text(import.signature) : std::string(name_of(import.kind));
}

std::string note_on(const ImportFinding& finding) {
  if (finding.verdict != ImportVerdict::offered) return fmt::format("  REFUSED: {}", finding.reason);
  return finding.permission ? fmt::format("  permission {}", name_of(*finding.permission)) : "";
}

// By family, families in the order the module first names them.
std::string imports_text(const std::vector<ImportFinding>& findings) {
  std::string text = fmt::format("imports ({})\n", findings.size());
  std::vector<std::string_view> families;
  std::unordered_map<std::string_view, std::vector<const ImportFinding*>> of_family;
  for (const ImportFinding& finding : findings) {
    auto& members = of_family[finding.import.module];
    if (members.empty()) families.push_back(finding.import.module);
    members.push_back(&finding);
  }
  for (const std::string_view family : families) {
    text += fmt::format("  {}\n", column_name(family));
    for (const ImportFinding* finding : of_family[family]) {
      text += fmt::format("    {:<20} {}{}\n", column_name(finding->import.name), type_of(finding->import),
                          note_on(*finding));
    }
  }
  return text;
}

std::string type_of(const ExportInfo& one) {
  if (one.kind == ExternKind::function) return to_text(one.signature);
  if (one.kind != ExternKind::global || !one.global_type) return std::string(name_of(one.kind));
  return fmt::format("global {}{}", name_of(*one.global_type), one.global_mutable ? ", mutable" : "");
}

std::string exports_text(const std::vector<ExportInfo>& exports) {
  std::string text = fmt::format("exports ({})\n", exports.size());
  for (const ExportInfo& one : exports) text += fmt::format("  {:<22} {}\n", column_name(one.name), type_of(one));
  return text;
}

std::string refused_text(const std::vector<std::string>& refused) {
  if (refused.empty()) return "would be refused: nothing\n";
  std::string text = "would be refused\n";
  for (const std::string& reason : refused) text += fmt::format("  {}\n", reason);
  return text;
}

Json import_json(const ImportFinding& finding) {
  Json row{{"module", finding.import.module},
           {"name", finding.import.name},
           {"kind", name_of(finding.import.kind)},
           {"verdict", name_of(finding.verdict)}};
  if (finding.import.kind == ExternKind::function) row["type"] = to_text(finding.import.signature);
  if (finding.permission) row["permission"] = name_of(*finding.permission);
  if (!finding.reason.empty()) row["reason"] = finding.reason;
  return row;
}

Json export_json(const ExportInfo& one) {
  Json row{{"name", one.name}, {"kind", name_of(one.kind)}};
  if (one.kind == ExternKind::function) row["type"] = to_text(one.signature);
  if (one.global_type) {
    row["type"] = name_of(*one.global_type);
    row["mutable"] = one.global_mutable;
  }
  return row;
}

template <typename Row>
Json list_of(const std::vector<Row>& rows, Json (*to_object)(const Row&)) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(to_object(row));
  return list;
}

void add_sizes(Json& object, const ModuleReport& report) {
  const ModuleInfo& info = report.info;
  object["bytes"] = info.bytes;
  object["code_bytes"] = info.code_bytes;
  object["metered_bytes"] = info.metered_bytes;
  object["meter_ratio"] = meter_ratio(report);
  object["types"] = info.types;
  object["functions"] = info.functions;
  object["tables"] = info.tables;
  object["table_slots_min"] = info.table_slots_min;
  object["memories"] = info.memories;
  object["memory_pages_min"] = info.memory_pages_min;
  object["memory_pages_max"] = info.memory_pages_max ? Json(*info.memory_pages_max) : Json(nullptr);
  object["globals"] = info.globals;
  object["element_segments"] = info.element_segments;
  object["data_segments"] = info.data_segments;
}

}  // namespace

ModuleReport report_on(const Artifact& artifact, Permissions permissions, const Limits& limits) {
  ModuleReport report{.info = artifact.info(),
                      .imports = examine_imports(artifact, permissions),
                      .exports = artifact.exports(),
                      .sections = section_outline(artifact.bytes())};
  report.refused = refusals(report, limits);
  return report;
}

std::string to_text(const ModuleReport& report, std::string_view title) {
  return fmt::format("{}: accepted, {} of wasm\n", title, format_bytes(report.info.bytes)) + summary(report) +
         imports_text(report.imports) + exports_text(report.exports) + to_text(report.sections) +
         refused_text(report.refused);
}

Json to_json(const ModuleReport& report) {
  Json object{{"artifact", report.info.id.hex()}};
  add_sizes(object, report);
  object["has_start"] = report.info.has_start;
  object["features"] = report.info.features;
  object["movable"] = report.info.not_movable_because.empty();
  object["not_movable_because"] = report.info.not_movable_because;
  object["imports"] = list_of(report.imports, import_json);
  object["exports"] = list_of(report.exports, export_json);
  object["sections"] = to_json(report.sections);
  object["refused"] = report.refused;
  return object;
}

std::string to_text(const std::vector<Section>& sections) {
  std::string text = fmt::format("sections ({})\n", sections.size());
  for (const Section& section : sections) {
    const std::string name = section.custom ? fmt::format("custom \"{}\"", column_name(section.name)) : section.name;
    text += fmt::format("  {:<22} {} at {:#x}{}\n", name, format_bytes(section.bytes), section.offset,
                        section.complete ? "" : ", but the file ends before");
  }
  return text;
}

Json to_json(const std::vector<Section>& sections) {
  Json list = Json::array();
  for (const Section& section : sections) {
    list.push_back({{"name", section.name},
                    {"custom", section.custom},
                    {"offset", section.offset},
                    {"bytes", section.bytes},
                    {"complete", section.complete}});
  }
  return list;
}

}  // namespace petri::cli
