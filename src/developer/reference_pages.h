// The pages of docs/reference that are made from code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::developer {

struct ReferencePage {
  std::string_view name;   // also the file's: limits -> docs/reference/limits.md; one with a dot is the whole name
  std::string_view about;  // one line
  std::string (*make)();   // the whole page, Markdown unless its name says otherwise
};
const std::vector<ReferencePage>& reference_pages();

using Rows = std::vector<std::vector<std::string>>;

// A Markdown table; "|" and line ends inside cells are taken care of.
std::string markdown_table(const std::vector<std::string>& header, const Rows& rows);

}  // namespace petri::developer
