#include "compiler/clang/clang_messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text/escape.h"
#include "compiler/clang/guest_headers.h"

namespace petri {
namespace {

constexpr std::size_t kMessageBytesMax = 2'000;

struct Level {
  std::string_view word;
  DiagnosticSeverity severity;
};
constexpr std::array<Level, 4> kLevels{{{.word = "fatal error: ", .severity = DiagnosticSeverity::error},
                                        {.word = "error: ", .severity = DiagnosticSeverity::error},
                                        {.word = "warning: ", .severity = DiagnosticSeverity::warning},
                                        {.word = "note: ", .severity = DiagnosticSeverity::note}}};

// ":12" at the end of the text, taken off it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  text.remove_suffix(text.size() - colon);
  return number;
}

bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._+-").find(c) != std::string_view::npos;
}

std::string source_name(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  const std::string_view guest = kGuestHeaderFolder;
  if (file.starts_with(guest)) file.remove_prefix(guest.size() + 1);
  if (file.starts_with('/')) file.remove_prefix(file.rfind('/') + 1);
  return std::string(file);
}

// "[-Wunused-variable,Semantic Issue]" or "[Parse Issue]" at the end: the last word is the category, which is taken
// off.
std::string take_category(std::string& message) {
  const std::size_t open = message.rfind(" [");
  if (open == std::string::npos || !message.ends_with(']')) return {};
  const std::size_t comma = message.rfind(',');
  const bool with_flag = comma != std::string::npos && comma > open;
  const std::size_t start = with_flag ? comma + 1 : open + 2;
  std::string category = message.substr(start, message.size() - 1 - start);
  if (category.starts_with("-W")) return {};
  if (with_flag) {
    message = message.substr(0, comma) + "]";
  } else {
    message.resize(open);
  }
  return category;
}

DiagnosticKind kind_of(std::string_view category, std::string_view message) {
  if (message.find("file not found") != std::string_view::npos) return DiagnosticKind::dependency;
  if (category == "Parse Issue" || category == "Lexical or Preprocessor Issue") return DiagnosticKind::syntax;
  return DiagnosticKind::compile;
}

std::string printable(std::string_view text) { return without_host_paths(escape_text(text, kMessageBytesMax)); }

std::optional<Diagnostic> clang_diagnostic(std::string_view line) {
  for (const Level& level : kLevels) {
    const std::size_t found = line.find(level.word);
    if (found == std::string_view::npos) continue;
    std::string_view place = line.substr(0, found);
    if (!place.empty() && !place.ends_with(": ")) continue;
    if (!place.empty()) place.remove_suffix(2);
    Diagnostic diagnostic{.severity = level.severity};
    const auto last = take_number(place);
    const auto before = take_number(place);
    if (last && before) {
      diagnostic.line = *before;
      diagnostic.column = *last;
    } else if (!place.empty() && place != "clang") {
      continue;
    } else {
      place = {};
    }
    diagnostic.file = source_name(place);
    std::string message(line.substr(found + level.word.size()));
    if (message.starts_with("clang frontend command failed")) return std::nullopt;  // the end of the compiler says it
    const std::string category = take_category(message);
    diagnostic.kind = kind_of(category, message);
    diagnostic.message = printable(message);
    return diagnostic;
  }
  return std::nullopt;
}

// "adder.c.o: undefined symbol: f", "lto.tmp: ..."; what names no object is about the module.
Diagnostic linker_diagnostic(std::string_view text, DiagnosticSeverity severity) {
  Diagnostic diagnostic{.severity = severity};
  const std::size_t colon = text.find(".o: ");
  if (colon != std::string_view::npos && text.front() != '/') {
    diagnostic.file = source_name(text.substr(0, colon));
    text.remove_prefix(colon + 4);
  }
  const bool symbol = text.starts_with("undefined symbol") || text.starts_with("unable to find library");
  diagnostic.kind = symbol ? DiagnosticKind::dependency : DiagnosticKind::compile;
  diagnostic.message = printable(text);
  return diagnostic;
}

template <typename Each>
void for_each_line(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace

std::string without_host_paths(std::string_view text) {
  std::string shown;
  for (std::size_t index = 0; index < text.size();) {
    const bool starts = text[index] == '/' && (index == 0 || !is_path_character(text[index - 1]));
    if (!starts) {
      shown += text[index++];
      continue;
    }
    std::size_t end = index;
    while (end < text.size() && is_path_character(text[end])) ++end;
    const std::string_view path = text.substr(index, end - index);
    const bool of_host = path.find('/', 1) != std::string_view::npos;
    shown += of_host ? path.substr(path.rfind('/') + 1) : path;
    index = end;
  }
  return shown;
}

std::vector<Diagnostic> clang_diagnostics(std::string_view messages) {
  std::vector<Diagnostic> found;
  for_each_line(messages, [&](std::string_view line) {
    if (auto diagnostic = clang_diagnostic(line)) found.push_back(*std::move(diagnostic));
  });
  return found;
}

std::vector<Diagnostic> linker_diagnostics(std::string_view messages) {
  std::vector<Diagnostic> found;
  for_each_line(messages, [&](std::string_view line) {
    if (!line.starts_with("wasm-ld: ")) return;
    line.remove_prefix(9);
    for (const Level& level : kLevels) {
      if (line.starts_with(level.word))
        return found.push_back(linker_diagnostic(line.substr(level.word.size()), level.severity));
    }
  });
  return found;
}

}  // namespace petri
