// The names people give to sandboxes and to their modules.
#pragma once

#include <cstddef>
#include <string_view>

#include "petri/result.h"

namespace petri {

constexpr std::size_t kSandboxIdBytesMax = 64;

// Letters, digits, "_" and "-" of ASCII, starting with a letter or digit, 1 to 64 of them.
bool is_sandbox_id(std::string_view text);

// validation_failed, naming the text and the rule, unless is_sandbox_id().
Result<void> check_sandbox_id(std::string_view text);
// Checks a label, which has the same form.
Result<void> check_label(std::string_view text);
// Checks the name of a module by the same rules, except that "." is allowed in it.
Result<void> check_module_name(std::string_view text);

}  // namespace petri
