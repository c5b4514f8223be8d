// The verbs of the shell as Markdown, for docs/reference/shell.md.
#pragma once

#include <string>

namespace petri::developer {

// All verbs in one table, then a section each.
std::string verb_tables();

}  // namespace petri::developer
