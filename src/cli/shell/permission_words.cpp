#include "cli/shell/permission_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace petri::cli {
namespace {

bool has_sign(const std::string& word) { return word.starts_with('+') || word.starts_with('-'); }

Result<Permissions> whole_set(const std::vector<std::string>& words) {
  Permissions permissions;
  for (const std::string& word : words) {
    if (word == "none") continue;
    PETRI_TRY(const Permissions named, Permissions::parse(word));
    permissions = permissions.with(named);
  }
  return permissions;
}

}  // namespace

Result<Permissions> change_permissions(Permissions permissions, const std::vector<std::string>& words) {
  const auto changes = std::ranges::count_if(words, has_sign);
  if (changes == 0) return whole_set(words);
  if (changes != std::ssize(words)) {
    return fail(ErrorCode::validation_failed, "write either the whole set, log clock, or changes of it, +log -clock");
  }
  for (const std::string& word : words) {
    if (word.size() == 1) return fail(ErrorCode::validation_failed, fmt::format("{} says no permission", word));
    PETRI_TRY(const Permissions named, Permissions::parse(word.substr(1)));
    permissions = word.front() == '+' ? permissions.with(named) : permissions.without(named);
  }
  return permissions;
}

}  // namespace petri::cli
