// The #include lines of a text, read without a preprocessor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri {

// The paths of #include "name" lines, resolved beside the file that includes them: `folder` is its own, with a slash or
// empty. Those that leave the source folder are left out.
std::vector<std::string> quoted_includes(std::string_view text, std::string_view folder);

// The names of #include <name> lines.
std::vector<std::string> angled_includes(std::string_view text);

}  // namespace petri
