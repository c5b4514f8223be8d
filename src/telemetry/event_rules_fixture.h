// Holds events to the rules of their kind, for tests of whoever makes events.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "telemetry/event_rules.h"

namespace petri {

inline bool has_type(const EventValue& value, DetailType type) {
  switch (type) {
    case DetailType::text: return std::holds_alternative<std::string>(value);
    case DetailType::number: return std::holds_alternative<double>(value);
    case DetailType::integer:
      return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value);
  }
  PETRI_UNREACHABLE();
}

inline auto occurrences(const Event& event, std::string_view key) {
  return std::count_if(event.details.begin(), event.details.end(), [key](const auto& one) { return one.key == key; });
}

inline std::string fault_of(const EventRule& rule, const EventDetail& detail) {
  const auto found = std::find_if(rule.details.begin(), rule.details.end(),
                                  [&](const DetailRule& known) { return known.key == detail.key; });
  if (found == rule.details.end()) return fmt::format("{} has no detail \"{}\".", name_of(rule.kind), detail.key);
  if (has_type(detail.value, found->type)) return {};
  return fmt::format("\"{}\" of {} is {}.", detail.key, name_of(rule.kind),
                     found->type == DetailType::integer ? "an integer" : fmt::format("a {}", name_of(found->type)));
}

inline std::string count_fault(const DetailRule& rule, const Event& event) {
  const auto count = occurrences(event, rule.key);
  if (count == 0 && rule.always) return fmt::format("{} lacks \"{}\".", name_of(event.kind), rule.key);
  if (count > 1) return fmt::format("{} has \"{}\" {} times.", name_of(event.kind), rule.key, count);
  return {};
}

// The faults in the details of an event, a sentence each: one that its kind does not have, of another type, twice or
// missing. Empty if there are none.
inline std::vector<std::string> faults_of(const Event& event) {
  const EventRule& rule = rule_of(event.kind);
  std::vector<std::string> faults;
  for (const EventDetail& detail : event.details) faults.push_back(fault_of(rule, detail));
  for (const DetailRule& detail : rule.details) faults.push_back(count_fault(detail, event));
  std::erase(faults, "");
  return faults;
}

}  // namespace petri
