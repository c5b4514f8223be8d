#include "cli/commands/compile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri::cli {
namespace {

constexpr std::size_t kLineShownMax = 160;

std::string_view colour_of(DiagnosticSeverity severity) {
  switch (severity) {
    case DiagnosticSeverity::error: return "\x1b[1;31m";
    case DiagnosticSeverity::warning: return "\x1b[1;35m";
    case DiagnosticSeverity::note: return "\x1b[1;36m";
  }
  std::unreachable();
}

std::string coloured(std::string_view text, std::string_view colour, bool colours) {
  return colours ? fmt::format("{}{}\x1b[0m", colour, text) : std::string(text);
}

// The line as it is shown, and the column of the caret in it: tabs become spaces.
std::string excerpt(const Diagnostic& diagnostic, const std::string& line, bool colours) {
  std::string shown;
  std::size_t caret = 0;
  for (std::size_t index = 0; index < std::min(line.size(), kLineShownMax); ++index) {
    if (index + 1 == diagnostic.column) caret = shown.size();
    shown += line[index] == '\t' ? "    " : std::string(1, line[index]);
  }
  if (diagnostic.column > kLineShownMax) return {};
  if (diagnostic.column > line.size()) caret = shown.size();
  const std::string number = fmt::format("{:5} | ", diagnostic.line);
  std::string text = fmt::format("{}{}\n", number, escape_text(shown));
  if (diagnostic.column > 0) {
    text += fmt::format("      | {}{}\n", std::string(caret, ' '), coloured("^", "\x1b[1;32m", colours));
  }
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The part of a name that SARIF allows in a URI.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._~-").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json sarif_result(const Diagnostic& diagnostic) {
  Json result{{"ruleId", name_of(diagnostic.kind)},
              {"level", name_of(diagnostic.severity)},
              {"message", {{"text", diagnostic.message}}}};
  if (diagnostic.file.empty()) return result;
  Json place{{"artifactLocation", {{"uri", uri_of(diagnostic.file)}}}};
  if (diagnostic.line > 0) place["region"] = Json{{"startLine", diagnostic.line}};
  if (diagnostic.line > 0 && diagnostic.column > 0) place["region"]["startColumn"] = diagnostic.column;
  result["locations"] = Json::array({Json{{"physicalLocation", std::move(place)}}});
  return result;
}

Json module_json(const CompiledSource& module) {
  Json json{{"module", module.module}, {"language", module.language}, {"file", module.file}};
  if (module.artifact != nullptr) {
    json["artifact"] = module.artifact->id().hex();
    json["bytes"] = module.artifact->info().bytes;
  }
  json["cache_hit"] = module.cache_hit;
  json["files"] = module.files;
  json["rebuilt"] = module.rebuilt;
  if (module.error) json["error"] = to_json(*module.error);
  return json;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic, const SourceLine& line, bool colours) {
  Diagnostic place = diagnostic;
  place.message.clear();
  std::string head = line_of(place);
  const std::string severity = fmt::format("{}: ", name_of(diagnostic.severity));
  head.resize(head.size() - severity.size());
  std::string text = coloured(escape_text(head), "\x1b[1m", colours) +
                     coloured(severity, colour_of(diagnostic.severity), colours) + diagnostic.message + "\n";
  if (diagnostic.line == 0) return text;
  if (const auto source = line(diagnostic)) text += excerpt(diagnostic, *source, colours);
  return text;
}

std::string summary_text(const CompileReport& report) {
  std::string text = fmt::format("{} {}", name_of(report.status), counted(report.modules.size(), "module"));
  if (report.errors > 0) text += ", " + counted(report.errors, "error");
  if (report.warnings > 0) text += ", " + counted(report.warnings, "warning");
  if (report.diagnostics_cut > 0) text += fmt::format(", {} of messages cut", format_bytes(report.diagnostics_cut));
  return fmt::format("{}: {}, {}", text, format_duration(report.duration), name_of(report.strategy));
}

Json to_json(const Diagnostic& diagnostic) {
  return {{"file", diagnostic.file},          {"line", diagnostic.line},
          {"column", diagnostic.column},      {"severity", name_of(diagnostic.severity)},
          {"kind", name_of(diagnostic.kind)}, {"message", diagnostic.message}};
}

Json to_json(const CompileReport& report) {
  Json json{{"status", name_of(report.status)}, {"modules", Json::array()}, {"diagnostics", Json::array()}};
  for (const CompiledSource& module : report.modules) json["modules"].push_back(module_json(module));
  for (const Diagnostic& diagnostic : report.diagnostics) json["diagnostics"].push_back(to_json(diagnostic));
  json["diagnostics_cut"] = report.diagnostics_cut;
  json["warnings"] = report.warnings;
  json["errors"] = report.errors;
  json["files_compiled"] = report.files_compiled;
  json["cache_hit"] = report.cache_hit;
  json["strategy"] = name_of(report.strategy);
  json["duration_ms"] = std::chrono::duration<double, std::milli>(report.duration).count();
  if (report.error) json["error"] = to_json(*report.error);
  return json;
}

Json to_sarif(const CompileReport& report) {
  constexpr std::array kKinds{DiagnosticKind::syntax, DiagnosticKind::compile, DiagnosticKind::dependency,
                              DiagnosticKind::limit};
  constexpr std::array<std::string_view, 4> kMeanings{"The text cannot be read.", "The text can be read, and is wrong.",
                                                      "A file, a library or a symbol is missing.",
                                                      "A limit of the jail ended the compiler."};
  Json rules = Json::array();
  for (const DiagnosticKind kind : kKinds) {
    rules.push_back(
        {{"id", name_of(kind)}, {"shortDescription", {{"text", kMeanings.at(static_cast<std::size_t>(kind))}}}});
  }
  Json results = Json::array();
  for (const Diagnostic& diagnostic : report.diagnostics) results.push_back(sarif_result(diagnostic));
  const bool entered = report.status == CompileOutcome::compiled;
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({Json{{"tool", {{"driver", {{"name", "petri compile"}, {"rules", std::move(rules)}}}}},
                                     {"columnKind", "utf16CodeUnits"},
                                     {"invocations", Json::array({Json{{"executionSuccessful", entered}}})},
                                     {"results", std::move(results)}}})}};
}

}  // namespace petri::cli
