#include "cli/limit_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "base/assert.h"
#include "base/text/units.h"
#include "cli/option_error.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAliases{{{"fuel_max", "--fuel"},
                                                                                 {"memory_bytes_max", "--memory"},
                                                                                 {"execution_time_max", "--timeout"},
                                                                                 {"call_depth_max", "--depth"}}};

bool counts_bytes(const LimitRule& rule) { return rule.unit.starts_with("bytes"); }
bool counts_time(const LimitRule& rule) { return rule.unit == "ns"; }

std::string placeholder(const LimitRule& rule) {
  if (counts_bytes(rule)) return "SIZE";
  return counts_time(rule) ? "TIME" : "N";
}

// parse_limit() without its range: a value out of range is told together with the others.
Result<std::uint64_t> parse_number(const LimitRule& rule, std::string_view text) {
  if (counts_bytes(rule)) return parse_bytes(text);
  if (!counts_time(rule)) return parse_count(text);
  PETRI_TRY(const auto duration, parse_duration(text));
  return static_cast<std::uint64_t>(duration.count());
}

// As most people type it: the alias where there is one.
std::string first_option_name(const LimitRule& rule) {
  const std::string names = option_names(rule);
  return names.substr(0, names.find(','));
}

void read_into(Limits& limits, const LimitRule& rule, const std::string& text) {
  const auto value = parse_number(rule, text);
  if (!value) throw OptionError(first_option_name(rule), value.error().message);
  set_limit_value(limits, rule, *value);
}

void add_option(CLI::App& command, Limits& limits, const LimitRule& rule) {
  command
      .add_option_function<std::string>(
          option_names(rule), [&rule, &limits](const std::string& text) { read_into(limits, rule, text); },
          fmt::format("Default {}; when met: {}", format_limit(rule, limit_value(limits, rule)), rule.when_met))
      ->type_name(placeholder(rule))
      ->group("Limits");
}

}  // namespace

std::string option_names(const LimitRule& rule) {
  for (const auto& [name, alias] : kAliases) {
    if (name == rule.name) return fmt::format("{},{}", alias, with_hyphens(fmt::format("--{}", rule.name)));
  }
  return with_hyphens(fmt::format("--{}", rule.name));
}

void add_limit_options(CLI::App& command, Limits& limits) {
  for (const LimitRule& rule : limit_rules()) add_option(command, limits, rule);
}

void add_limit_option(CLI::App& command, Limits& limits, std::string_view name) {
  const LimitRule* rule = limit_named(name);
  PETRI_ASSERT(rule != nullptr);
  add_option(command, limits, *rule);
}

}  // namespace petri::cli
