// Limits of a sandbox as the shell reads and shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/problems.h"
#include "petri/limits.h"

namespace petri::cli {

// "memory=16MiB" or "memory_bytes_max=16MiB", each in the unit of its limit. Whether a value lies in its range is left
// to the code that applies it. All that cannot be read is validation_failed and names the words.
Result<LimitChanges> parse_limit_changes(const std::vector<std::string>& words);
// Returns the limits that can be read, and adds a problem for each of the others.
LimitChanges parse_limit_changes(const std::vector<std::string>& words, Problems& problems);

// As format_limit() has it; fuel says where it holds.
std::string limit_text(const LimitRule& rule, const SandboxLimits& limits);

}  // namespace petri::cli
