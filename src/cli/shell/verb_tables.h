// The verbs of the shell as Markdown, for docs/reference/shell.md.
#pragma once

#include <string>

namespace petri::cli {

// All verbs in one table, then a section each.
std::string verb_tables();

}  // namespace petri::cli
