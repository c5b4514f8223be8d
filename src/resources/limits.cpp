#include "petri/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/assert.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {
namespace {

// Reads and writes one field of Limits through the table.
template <std::uint64_t Limits::* Field>
constexpr auto get_number = +[](const Limits& limits) { return limits.*Field; };
template <std::uint64_t Limits::* Field>
constexpr auto set_number = +[](Limits& limits, std::uint64_t value) { limits.*Field = value; };

std::uint64_t get_time(const Limits& limits) { return static_cast<std::uint64_t>(limits.execution_time_max.count()); }
void set_time(Limits& limits, std::uint64_t value) {
  limits.execution_time_max = std::chrono::nanoseconds(static_cast<std::int64_t>(value));
}

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kHour = 3'600'000 * kMillisecond;
constexpr std::uint64_t kInt32Max = (std::uint64_t{1} << 31) - 1;

template <std::uint64_t Limits::* Field>
constexpr LimitRule rule(std::string_view name, std::string_view unit, std::uint64_t min, std::uint64_t max,
                         std::string_view when_met) {
  return {name, unit, min, max, when_met, get_number<Field>, set_number<Field>};
}

std::vector<LimitRule> make_guest_rules() {
  return {
      rule<&Limits::memory_bytes_max>(
          "memory_bytes_max", "bytes", 64 * kKiB, kTiB,
          "growth is refused (-1); a module's minimum that does not fit ends as memory_limit"),
      rule<&Limits::fuel_max>("fuel_max", "units", 1, std::uint64_t{1} << 62, "ends, out_of_fuel"),
      {"execution_time_max", "ns", kMillisecond, kHour, "ends, deadline", get_time, set_time},
      rule<&Limits::module_bytes_max>("module_bytes_max", "bytes", kKiB, 100 * kMiB, "refused, module_too_large"),
      rule<&Limits::file_bytes_max>("file_bytes_max", "bytes", 0, kTiB, "the write fails"),
      rule<&Limits::files_max>("files_max", "files", 0, 1'000'000, "the file is not made"),
      rule<&Limits::disk_bytes_max>("disk_bytes_max", "bytes", 0, kTiB, "the write fails"),
      rule<&Limits::output_bytes_max>("output_bytes_max", "bytes", 0, kInt32Max,
                                      "a run ends, output_limit; of a live process the rest is cut and counted"),
      rule<&Limits::log_bytes_per_second_max>("log_bytes_per_second_max", "bytes/s", 0, kGiB,
                                              "the line is dropped and counted"),
      rule<&Limits::call_depth_max>("call_depth_max", "frames", 16, 8'192, "ends, stack_overflow"),
  };
}

bool in_range(const LimitRule& rule, std::uint64_t value) { return value >= rule.min && value <= rule.max; }

// Rounded as limits are shown, or exact where the value would be shown as the bound that it passes.
std::string out_of_range(const LimitRule& rule, std::uint64_t value) {
  if (format_limit(rule, value) == format_limit(rule, value < rule.min ? rule.min : rule.max)) {
    return fmt::format("{} is {} {} but goes from {} to {}", rule.name, format_count(value), rule.unit,
                       format_count(rule.min), format_count(rule.max));
  }
  return fmt::format("{} is {} but goes from {} to {}", rule.name, format_limit(rule, value),
                     format_limit(rule, rule.min), format_limit(rule, rule.max));
}

std::string known_names() {
  std::string names;
  for (const LimitRule& rule : limit_rules()) names.append(names.empty() ? "" : ", ").append(rule.name);
  return names;
}

}  // namespace

const std::vector<LimitRule>& limit_rules() {
  static const std::vector<LimitRule> rules = make_guest_rules();
  return rules;
}

const LimitRule* limit_named(std::string_view name) {
  const auto& rules = limit_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const LimitRule& rule) { return rule.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

std::string format_limit(const LimitRule& rule, std::uint64_t value) {
  if (rule.unit == "bytes") return format_bytes(value);
  if (rule.unit == "bytes/s") return format_bytes(value) + "/s";
  if (rule.unit == "ns") return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(value)));
  return format_count(value);
}

Result<std::uint64_t> parse_limit(const LimitRule& rule, std::string_view text) {
  const auto read = [&]() -> Result<std::uint64_t> {
    if (rule.unit == "bytes" || rule.unit == "bytes/s") return parse_bytes(text);
    if (rule.unit != "ns") return parse_count(text);
    PETRI_TRY(const auto duration, parse_duration(text));
    return static_cast<std::uint64_t>(duration.count());
  };
  PETRI_TRY(const auto value, read());
  if (!in_range(rule, value)) return fail(ErrorCode::validation_failed, out_of_range(rule, value) + ".");
  return value;
}

Result<void> set_limit(Limits& limits, std::string_view name, std::uint64_t value) {
  const LimitRule* rule = limit_named(name);
  if (rule == nullptr) {
    return fail(ErrorCode::validation_failed,
                fmt::format("there is no limit \"{}\"; the limits are {}", escape_text(name, 80), known_names()));
  }
  if (!in_range(*rule, value)) return fail(ErrorCode::validation_failed, out_of_range(*rule, value));
  rule->set(limits, value);
  return {};
}

Result<void> validate(const Limits& limits) {
  Error error{.code = ErrorCode::validation_failed};
  for (const LimitRule& rule : limit_rules()) {
    const std::uint64_t value = rule.get(limits);
    if (in_range(rule, value)) continue;
    error.message.append(error.message.empty() ? "" : "; ").append(out_of_range(rule, value));
    error = std::move(error).with("limit", std::string(rule.name));
  }
  if (error.message.empty()) return {};
  return fail(std::move(error));
}

}  // namespace petri
