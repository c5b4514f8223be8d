#include "security/import_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::size_t kEntryShownBytesMax = 100;

bool covers(std::string_view entry, std::string_view module, std::string_view name) {
  if (!entry.starts_with(module)) return false;
  entry.remove_prefix(module.size());
  return entry.empty() || (entry.starts_with('.') && entry.substr(1) == name);
}

bool lists(const std::vector<std::string>& list, std::string_view module, std::string_view name) {
  return std::ranges::any_of(list, [&](const std::string& entry) { return covers(entry, module, name); });
}

}  // namespace

void ImportPolicy::add(ImportRules rules, std::string whose) {
  if (rules == ImportRules{}) return;
  lists_.push_back({std::move(rules), std::move(whose)});
}

std::string ImportPolicy::refusal(std::string_view module, std::string_view name) const {
  for (const Lists& one : lists_) {
    if (lists(one.rules.block, module, name)) return fmt::format("is on the block-list of {}", one.whose);
    if (!one.rules.allow.empty() && !lists(one.rules.allow, module, name))
      return fmt::format("is not on the allow-list of {}", one.whose);
  }
  return {};
}

void check_import_rules(const ImportRules& rules, const std::string& where, Complaints& complaints) {
  for (const std::vector<std::string>* list : {&rules.allow, &rules.block}) {
    if (std::ranges::find(*list, "") == list->end()) continue;
    complaints.add_sentence(where,
                            "an entry is empty: write an import module such as math, or a function such as petri.log");
  }
  for (const std::string& entry : rules.allow) {
    if (entry.empty() || std::ranges::find(rules.block, entry) == rules.block.end()) continue;
    complaints.add_sentence(where, fmt::format("{} is on the allow-list and on the block-list: take it off one of them",
                                               escape_text(entry, kEntryShownBytesMax)));
  }
}

}  // namespace petri
