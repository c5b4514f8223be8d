#include <fmt/format.h>

#include <array>

#include "petri/compile_report.h"

namespace petri {

std::string_view name_of(DiagnosticSeverity severity) {
  constexpr std::array<std::string_view, 3> kNames{"note", "warning", "error"};
  return kNames.at(static_cast<std::size_t>(severity));
}

std::string_view name_of(DiagnosticKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"syntax", "compile", "dependency", "limit"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(CompileOutcome outcome) { return outcome == CompileOutcome::compiled ? "compiled" : "failed"; }

std::string_view name_of(CompileStrategy strategy) {
  constexpr std::array<std::string_view, 5> kNames{"in_process", "jail", "server", "unjailed", "cache"};
  return kNames.at(static_cast<std::size_t>(strategy));
}

std::string line_of(const Diagnostic& diagnostic) {
  std::string place = diagnostic.file;
  if (diagnostic.line > 0) place += fmt::format(":{}", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) place += fmt::format(":{}", diagnostic.column);
  return fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", name_of(diagnostic.severity), diagnostic.message);
}

}  // namespace petri
