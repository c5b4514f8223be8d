#include "base/ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"

namespace petri {
namespace {

// Not std::isalnum: that one asks the locale.
constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr bool may_stand_in_id(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

}  // namespace

bool is_sandbox_id(std::string_view text) {
  return !text.empty() && text.size() <= kSandboxIdBytesMax && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), may_stand_in_id);
}

Result<void> check_sandbox_id(std::string_view text) {
  if (is_sandbox_id(text)) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" cannot be the id of a sandbox: an id has 1 to {} letters, digits, \"_\" or \"-\" and "
                          "starts with a letter or digit",
                          escape_text(text, 80), kSandboxIdBytesMax));
}

Result<void> check_label(std::string_view text) {
  if (is_sandbox_id(text)) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" cannot be a label: a label has 1 to {} letters, digits, \"_\" or \"-\" and starts "
                          "with a letter or digit",
                          escape_text(text, 80), kSandboxIdBytesMax));
}

Result<void> check_module_name(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= kSandboxIdBytesMax && is_letter_or_digit(text.front()) &&
                    std::all_of(text.begin(), text.end(), [](char c) { return may_stand_in_id(c) || c == '.'; });
  if (fits) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" cannot be the name of a module: a name has 1 to {} letters, digits, \"_\", \"-\" or "
                          "\".\" and starts with a letter or digit",
                          escape_text(text, 80), kSandboxIdBytesMax));
}

}  // namespace petri
