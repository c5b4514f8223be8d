// Manual pages, as man(1) reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/manual/command_description.h"

namespace petri::cli {

struct ManPage {
  std::string name;  // "petri-audit-verify"; the file is NAME.1
  std::string text;
};

// One page for each command; petri itself is the first. `version` stands at the foot of each.
std::vector<ManPage> man_pages(const std::vector<CommandDescription>& commands, std::string_view version);

// "petri audit verify" -> "petri-audit-verify"
std::string page_name(std::string_view words);

}  // namespace petri::cli
