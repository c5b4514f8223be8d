#include "cli/permission_words.h"

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

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
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

// Without a sign the list is read whole, as Permissions::parse() has it.
Result<Permissions> permissions_of_list(Permissions permissions, const std::string& list) {
  return change_permissions(permissions, has_sign(list) ? split_at_commas(list) : std::vector{list});
}

}  // namespace petri::cli
