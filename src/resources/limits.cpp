#include "petri/limits.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "resources/limit_table.h"

namespace petri {

Result<std::uint64_t> parse_limit(const LimitRule& rule, std::string_view text) {
  const auto read = [&]() -> Result<std::uint64_t> {
    if (rule.unit == "bytes" || rule.unit == "bytes/s") return parse_bytes(text);
    if (rule.unit != "ns") return parse_count(text);
    PETRI_TRY(const auto duration, parse_duration(text));
    return static_cast<std::uint64_t>(duration.count());
  };
  PETRI_TRY(const auto value, read());
  if (!in_range(rule, value)) return fail(ErrorCode::validation_failed, out_of_range(rule, value));
  return value;
}

Result<void> set_limit(Limits& limits, std::string_view name, std::uint64_t value) {
  const LimitRule* rule = limit_named(name);
  if (rule == nullptr) {
    return fail(ErrorCode::validation_failed, fmt::format("there is no limit \"{}\" (the limits are {})",
                                                          escape_text(name, 80), limit_names(limit_rules())));
  }
  if (!in_range(*rule, value)) return fail(ErrorCode::validation_failed, out_of_range(*rule, value));
  set_limit_value(limits, *rule, value);
  return {};
}

Result<void> validate(const Limits& limits) {
  Error error{.code = ErrorCode::validation_failed};
  for (const LimitRule& rule : limit_rules()) {
    const std::uint64_t value = limit_value(limits, rule);
    if (in_range(rule, value)) continue;
    error.message.append(error.message.empty() ? "" : "; ").append(out_of_range(rule, value));
    error = std::move(error).with("limit", std::string(rule.name));
  }
  if (error.message.empty()) return {};
  return fail(std::move(error));
}

}  // namespace petri
