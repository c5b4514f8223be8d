#include <fmt/format.h>

#include <algorithm>

#include "base/complaints.h"
#include "base/name_table.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "petri/limits.h"
#include "resources/limit_table.h"

namespace petri {
namespace {

constexpr NameTable<2> kActions{"refuse", "kill"};

}  // namespace

std::string_view name_of(OnLimit action) { return name_in(kActions, action); }
std::optional<OnLimit> on_limit_named(std::string_view name) { return find_name<OnLimit>(kActions, name); }

Result<void> check_actions(const LimitActions& actions) {
  Complaints complaints;
  for (const auto& [name, action] : actions) {
    const LimitRule* rule = sandbox_limit_named(name);
    if (rule != nullptr && rule->refuses_guest) continue;
    std::string wrong = fmt::format("{} \"{}\" (those that can end a guest instead are {})",
                                    rule == nullptr ? "there is no limit" : "nothing is refused to a guest by",
                                    escape_text(name, 80), limit_names(sandbox_limit_rules(), true));
    complaints.add_clause("on_limit." + escape_text(name, 80), std::move(wrong));
  }
  return complaints.result();
}

Result<void> set_limit(LimitChanges& changes, std::string_view name, std::uint64_t value) {
  const LimitRule* rule = sandbox_limit_named(name);
  if (rule == nullptr) {
    return fail(ErrorCode::validation_failed, fmt::format("there is no limit \"{}\" (the limits are {})",
                                                          escape_text(name, 80), limit_names(sandbox_limit_rules())));
  }
  set_limit_value(changes, *rule, value);
  return {};
}

Result<LimitChanges> limit_changes(const std::map<std::string, std::uint64_t, std::less<>>& by_name) {
  LimitChanges changes;
  for (const auto& [name, value] : by_name) PETRI_TRY(set_limit(changes, name, value));
  return changes;
}

void fill_in(LimitChanges& changes, const LimitChanges& others) {
  for (const LimitRow& row : limit_rows()) {
    const auto value = row.of_changes(others);
    if (value && !row.of_changes(changes)) row.set_change(changes, *value);
  }
}

Result<SandboxLimits> with_changes(SandboxLimits limits, const LimitChanges& changes) {
  Complaints complaints;
  for (const LimitRow& row : limit_rows()) {
    const auto value = row.of_changes(changes);
    if (!value) continue;
    if (in_range(row.rule, *value)) {
      row.set_sandbox(limits, *value);
    } else {
      complaints.add_clause("limits." + std::string(row.rule.name), out_of_range(row.rule, *value));
    }
  }
  PETRI_TRY(complaints.result());
  // One process may use what the tree has, unless told otherwise.
  if (changes.memory_bytes_max && !limits.process_memory_set) {
    limits.process_memory_bytes_max = std::min(limits.memory_bytes_max, 4 * kGiB);
  }
  return limits;
}

}  // namespace petri
