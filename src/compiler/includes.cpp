#include "compiler/includes.h"

#include <optional>

namespace petri {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

bool drop(std::string_view& text, std::string_view word) {
  text = without_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<std::string_view> included(std::string_view line, char open, char close) {
  if (!drop(line, "#") || !drop(line, "include")) return std::nullopt;
  line = without_blanks(line);
  if (!line.starts_with(open)) return std::nullopt;
  const std::size_t end = line.find(close, 1);
  return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(1, end - 1));
}

template <typename Each>
void for_each_include(std::string_view text, char open, char close, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (const auto name = included(text.substr(0, end), open, close)) each(*name);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

// "lib/../util.h" is "util.h"; nullopt for what leaves the folder or is absolute.
std::optional<std::string> normal_path(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string joined;
  for (const std::string_view part : parts) joined.append(joined.empty() ? "" : "/").append(part);
  return joined.empty() ? std::nullopt : std::optional(joined);
}

}  // namespace

std::vector<std::string> quoted_includes(std::string_view text, std::string_view folder) {
  std::vector<std::string> paths;
  for_each_include(text, '"', '"', [&](std::string_view name) {
    if (name.starts_with('/')) return;
    if (auto path = normal_path(std::string(folder).append(name))) paths.push_back(std::move(*path));
  });
  return paths;
}

std::vector<std::string> angled_includes(std::string_view text) {
  std::vector<std::string> names;
  for_each_include(text, '<', '>', [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

}  // namespace petri
