// The one table of limits: each with its rule, and the fields that hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "petri/limits.h"

namespace petri {

// A row of the table. Durations are numbers of nanoseconds here.
struct LimitRow {
  LimitRule rule;
  std::uint64_t (*of_run)(const Limits&);  // nullptr: only sandboxes have this limit, and it is not in Limits
  void (*set_run)(Limits&, std::uint64_t);
  std::uint64_t (*of_sandbox)(const SandboxLimits&);
  void (*set_sandbox)(SandboxLimits&, std::uint64_t);
  std::optional<std::uint64_t> (*of_changes)(const LimitChanges&);
  void (*set_change)(LimitChanges&, std::uint64_t);
};
std::span<const LimitRow> limit_rows();

bool in_range(const LimitRule& rule, std::uint64_t value);
// "fuel_max is 0 but goes from 1 to 1,000"; rounded as limits are shown, or exact where the value would be shown as the
// bound that it passes.
std::string out_of_range(const LimitRule& rule, std::uint64_t value);
// The names of these, with commas.
std::string limit_names(std::span<const LimitRule> rules, bool only_refusing = false);

}  // namespace petri
