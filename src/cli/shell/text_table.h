// Rows as people read them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace petri::cli {

using Rows = std::vector<std::vector<std::string>>;

// Columns as wide as their widest cell, two spaces apart, each line with an end; the first row is the header. Cells are
// fit for a terminal already.
std::string text_table(const Rows& rows);

// "  name    value" a line, the names as wide as the widest. Rows without a value are left out.
std::string text_fields(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace petri::cli
