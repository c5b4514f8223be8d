#include "cli/commands/source_excerpts.h"

#include <filesystem>

#include "base/files/file.h"
#include "cli/commands/compile_text.h"

namespace petri::cli {
std::optional<std::string> SourceLines::find(const Diagnostic& diagnostic) {
  const auto [found, is_new] = texts_.try_emplace(diagnostic.file);
  if (is_new) found->second = read_file(diagnostic.file, bytes_max_).value_or("");
  std::string_view left = found->second;
  for (std::uint32_t line = 1; line < diagnostic.line; ++line) {
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    left.remove_prefix(end + 1);
  }
  return left.empty() ? std::nullopt : std::optional<std::string>(left.substr(0, left.find('\n')));
}

void name_from_here(CompileReport& report, const std::string& source) {
  if (source == "-") return;
  std::error_code unknown;
  const std::filesystem::path path(source);
  const std::filesystem::path folder = std::filesystem::is_directory(path, unknown) ? path : path.parent_path();
  if (folder.empty()) return;
  for (Diagnostic& diagnostic : report.diagnostics) {
    const std::string name = (folder / diagnostic.file).lexically_normal().string();
    if (!diagnostic.file.empty() && std::filesystem::exists(name, unknown)) diagnostic.file = name;
  }
}

std::string excerpts_text(const CompileReport& report, std::uint64_t source_bytes_max, bool colours) {
  SourceLines lines(source_bytes_max);
  std::string text;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    text += to_text(diagnostic, [&](const Diagnostic& one) { return lines.find(one); }, colours);
  }
  return text;
}

}  // namespace petri::cli
