#include "cli/shell/limit_words.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/limit_options.h"
#include "cli/nearest.h"

namespace petri::cli {
namespace {

// As an option of `petri run` has it, or its name where that has no short one.
std::string short_name(const LimitRule& rule) {
  const std::string names = option_names(rule);
  const std::size_t comma = names.find(',');
  return comma == std::string::npos ? std::string(rule.name) : names.substr(2, comma - 2);
}

// By its name, or by the short one.
const LimitRule* find_limit(std::string_view name) {
  for (const LimitRule& rule : limit_rules()) {
    if (short_name(rule) == name) return sandbox_limit_named(rule.name);
  }
  return sandbox_limit_named(name);
}

std::string nearest_limit(std::string_view word) {
  std::vector<std::string> short_names;
  for (const LimitRule& rule : limit_rules()) short_names.push_back(short_name(rule));
  std::vector<std::string_view> names(short_names.begin(), short_names.end());
  for (const LimitRule& rule : sandbox_limit_rules()) names.push_back(rule.name);
  return did_you_mean(word, names);
}

Result<std::uint64_t> parse_number(const LimitRule& rule, std::string_view text) {
  if (rule.unit.starts_with("bytes")) return parse_bytes(text);
  if (rule.unit != "ns") return parse_count(text);
  PETRI_TRY(const auto duration, parse_duration(text));
  return static_cast<std::uint64_t>(duration.count());
}

// One change, put among the others.
Result<void> add_change(LimitChanges& changes, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const LimitRule* rule = find_limit(name);
  if (rule == nullptr) {
    return fail(ErrorCode::validation_failed,
                fmt::format("there is no limit {}{}", in_quotes(name), nearest_limit(name)));
  }
  if (equals == std::string::npos) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{} says no value; write {}=VALUE to change it", in_quotes(word), name));
  }
  auto value = parse_number(*rule, std::string_view(word).substr(equals + 1));
  if (!value) return fail(ErrorCode::validation_failed, fmt::format("{}: {}", rule->name, value.error().message));
  set_limit_value(changes, *rule, *value);
  return {};
}

}  // namespace

LimitChanges parse_limit_changes(const std::vector<std::string>& words, Problems& problems) {
  LimitChanges changes;
  for (const std::string& word : words) problems.add(add_change(changes, word));
  return changes;
}

Result<LimitChanges> parse_limit_changes(const std::vector<std::string>& words) {
  Problems problems;
  LimitChanges changes = parse_limit_changes(words, problems);
  PETRI_TRY(problems.result());
  return changes;
}

std::string limit_text(const LimitRule& rule, const SandboxLimits& limits) {
  const bool without_end = rule.name == "fuel_max" && !limits.call_fuel_max;
  const std::uint64_t value = limit_value(limits, rule);
  return without_end ? fmt::format("{} for runs, none for calls", format_count(value)) : format_limit(rule, value);
}

}  // namespace petri::cli
