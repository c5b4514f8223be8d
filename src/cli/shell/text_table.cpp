#include "cli/shell/text_table.h"

#include <algorithm>
#include <string_view>

#include "base/text/utf8.h"

namespace petri::cli {
namespace {

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (; !text.empty(); ++width) text.remove_prefix(decode_utf8(text).bytes);
  return width;
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::string text_table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i]) + "  ";
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string text_fields(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t width = 0;
  for (const auto& [name, value] : fields) width = std::max(width, value.empty() ? 0 : width_of(name));
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!value.empty()) text += "  " + padded(name, width) + "  " + value + "\n";
  }
  return text;
}

}  // namespace petri::cli
