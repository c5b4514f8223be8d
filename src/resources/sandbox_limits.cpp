#include "petri/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/complaints.h"
#include "base/name_table.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {
namespace {

constexpr NameTable<2> kActions{"refuse", "kill"};
constexpr std::uint64_t kCountMax = (std::uint64_t{1} << 31) - 1;

// More than all cores together there is not: this much is no limit.
std::uint64_t cpu_percent_of_all() {
  static const std::uint64_t percent = 100 * std::max(1U, std::thread::hardware_concurrency());  // reads a file
  return percent;
}

template <std::uint64_t SandboxLimits::* Field>
SandboxLimitRule tree_rule(std::string_view name, std::string_view unit, std::uint64_t min, std::uint64_t max,
                           std::string_view when_met) {
  return {name,
          unit,
          min,
          max,
          when_met,
          [](const SandboxLimits& limits) { return limits.*Field; },
          [](SandboxLimits& limits, std::uint64_t value) { limits.*Field = value; }};
}

// The rows of a run's limits, seen through the sandbox's. A row is found by its number: a function pointer has no
// state.
template <std::size_t Row>
SandboxLimitRule guest_rule() {
  const LimitRule& rule = limit_rules()[Row];
  return {rule.name,
          rule.unit,
          rule.min,
          rule.max,
          rule.when_met,
          [](const SandboxLimits& limits) { return limit_rules()[Row].get(limits); },
          [](SandboxLimits& limits, std::uint64_t value) {
            limit_rules()[Row].set(limits, value);
            if (limit_rules()[Row].name == "fuel_max") limits.call_fuel_max = value;
          }};
}

SandboxLimitRule process_memory_rule() {
  SandboxLimitRule rule = tree_rule<&SandboxLimits::process_memory_bytes_max>(
      "process_memory_bytes_max", "bytes", 64 * kKiB, 4 * kGiB, "as memory_bytes_max, for one process");
  rule.set = [](SandboxLimits& limits, std::uint64_t value) {
    limits.process_memory_bytes_max = value;
    limits.process_memory_set = true;
  };
  return rule;
}

template <std::size_t... Rows>
std::vector<SandboxLimitRule> guest_rules(std::index_sequence<Rows...>) {
  return {guest_rule<Rows>()...};
}

constexpr std::size_t kGuestLimits = 10;
constexpr std::uint64_t kHourNs = 3'600'000'000'000;
constexpr std::array<std::string_view, 12> kRefuseGuests{"file_bytes_max",
                                                         "files_max",
                                                         "disk_bytes_max",
                                                         "memory_bytes_max",
                                                         "process_memory_bytes_max",
                                                         "processes_max",
                                                         "message_queue_max",
                                                         "message_bytes_max",
                                                         "timers_max",
                                                         "output_bytes_max",
                                                         "log_bytes_per_second_max",
                                                         "descriptors_max"};

constexpr std::string_view kNextWork = "holds from the next call or run on";
constexpr std::string_view kNextMessage = "holds from the next message on; what waits stays";
constexpr std::string_view kNextWrite = "holds from the next write on; what is there stays";
using WhenLowered = std::pair<std::string_view, std::string_view>;
constexpr std::array<WhenLowered, 22> kWhenLowered = {{
    {"memory_bytes_max", "refused below what is in use"},
    {"fuel_max", kNextWork},
    {"execution_time_max", "ends at once what has run for longer, as deadline"},
    {"module_bytes_max", "holds from the next module on"},
    {"file_bytes_max", kNextWrite},
    {"files_max", kNextWrite},
    {"disk_bytes_max", kNextWrite},
    {"output_bytes_max", kNextWork},
    {"log_bytes_per_second_max", kNextWork},
    {"call_depth_max", kNextWork},
    {"process_memory_bytes_max", "refused below what a process uses"},
    {"processes_max", "refused below those that live"},
    {"cpu_percent_max", "holds at once"},
    {"cpu_grace", "holds at once"},
    {"message_queue_max", kNextMessage},
    {"message_bytes_max", kNextMessage},
    {"timers_max", "holds from the next timer on; those that are set ring"},
    {"descriptors_max", "holds from the next file on; what is open stays open"},
    {"threads_max", "holds from the next message on; what is being handled goes on"},
    {"state_bytes_max", "holds from the next reload, snapshot or fork on"},
    {"versions_max", "the oldest versions that are not active go at once"},
    {"shutdown_max", "holds from the next end on"},
}};

std::string_view when_lowered(std::string_view limit) {
  return std::ranges::find(kWhenLowered, limit, &WhenLowered::first)->second;
}

std::vector<SandboxLimitRule> make_sandbox_rules() {
  auto rules = guest_rules(std::make_index_sequence<kGuestLimits>());
  const std::string_view refused = "refused";
  for (const SandboxLimitRule& rule : {
           process_memory_rule(),
           tree_rule<&SandboxLimits::processes_max>("processes_max", "processes", 1, 1'000'000, refused),
           tree_rule<&SandboxLimits::cpu_percent_max>("cpu_percent_max", "percent", 1, cpu_percent_of_all(),
                                                      "held to it"),
           tree_rule<&SandboxLimits::cpu_grace>(
               "cpu_grace", "ns", 0, kHourNs, "a process held to cpu_percent_max that long ends, cpu_limit; 0: never"),
           tree_rule<&SandboxLimits::message_queue_max>("message_queue_max", "messages", 1, kCountMax,
                                                        "the sender is refused, queue_full"),
           tree_rule<&SandboxLimits::message_bytes_max>("message_bytes_max", "bytes", 0, kCountMax,
                                                        "the sender is refused, too_large"),
           tree_rule<&SandboxLimits::timers_max>("timers_max", "timers", 0, 1'000'000, refused),
           tree_rule<&SandboxLimits::descriptors_max>("descriptors_max", "descriptors", 0, 1'000'000,
                                                      "the file is not opened"),
           tree_rule<&SandboxLimits::threads_max>("threads_max", "threads", 1, 1'000'000,
                                                  "what is to be handled waits until another is done"),
           tree_rule<&SandboxLimits::state_bytes_max>("state_bytes_max", "bytes", 0, 4 * kGiB,
                                                      "reload, snapshot and fork are refused, limit_exceeded"),
           tree_rule<&SandboxLimits::versions_max>("versions_max", "versions", 1, 1'000,
                                                   "the oldest version that is not active goes"),
           tree_rule<&SandboxLimits::shutdown_max>("shutdown_max", "ns", 0, 24 * kHourNs,
                                                   "what has not ended by then is killed"),
       }) {
    rules.push_back(rule);
  }
  for (SandboxLimitRule& rule : rules) {
    rule.refuses_guest = std::ranges::find(kRefuseGuests, rule.name) != kRefuseGuests.end();
    rule.when_lowered = when_lowered(rule.name);
  }
  return rules;
}

std::string sandbox_limit_names(bool only_refusing = false) {
  std::string names;
  for (const SandboxLimitRule& rule : sandbox_limit_rules()) {
    if (only_refusing && !rule.refuses_guest) continue;
    names.append(names.empty() ? "" : ", ").append(rule.name);
  }
  return names;
}

// The fault of one change, or empty.
std::string complaint(std::string_view name, std::uint64_t value) {
  const SandboxLimitRule* rule = sandbox_limit_named(name);
  if (rule == nullptr)
    return fmt::format("there is no limit \"{}\" (the limits are {})", escape_text(name, 80), sandbox_limit_names());
  if (value >= rule->min && value <= rule->max) return {};
  return fmt::format("{} is {} but goes from {} to {} {}", name, value, rule->min, rule->max, rule->unit);
}

}  // namespace

std::string format_limit(const SandboxLimitRule& rule, std::uint64_t value) {
  if (rule.name == "cpu_percent_max") return fmt::format("{} %", value);
  return format_limit(LimitRule{.name = rule.name, .unit = rule.unit}, value);
}

const std::vector<SandboxLimitRule>& sandbox_limit_rules() {
  static const std::vector<SandboxLimitRule> rules = make_sandbox_rules();
  return rules;
}

const SandboxLimitRule* sandbox_limit_named(std::string_view name) {
  const auto& rules = sandbox_limit_rules();
  const auto found = std::ranges::find(rules, name, &SandboxLimitRule::name);
  return found == rules.end() ? nullptr : &*found;
}

std::string_view name_of(OnLimit action) { return name_in(kActions, action); }
std::optional<OnLimit> on_limit_named(std::string_view name) { return find_name<OnLimit>(kActions, name); }

Result<void> check_actions(const LimitActions& actions) {
  Complaints complaints;
  for (const auto& [name, action] : actions) {
    const SandboxLimitRule* rule = sandbox_limit_named(name);
    if (rule != nullptr && rule->refuses_guest) continue;
    std::string wrong = fmt::format("{} \"{}\" (those that can end a guest instead are {})",
                                    rule == nullptr ? "there is no limit" : "nothing is refused to a guest by",
                                    escape_text(name, 80), sandbox_limit_names(true));
    complaints.add_clause("on_limit." + escape_text(name, 80), std::move(wrong));
  }
  return complaints.result();
}

Result<SandboxLimits> with_changes(SandboxLimits limits, const LimitChanges& changes) {
  Complaints complaints;
  for (const auto& [name, value] : changes) {
    std::string wrong = complaint(name, value);
    if (wrong.empty()) {
      sandbox_limit_named(name)->set(limits, value);
      continue;
    }
    complaints.add_clause("limits." + escape_text(name, 80), std::move(wrong));
  }
  PETRI_TRY(complaints.result());
  // One process may use what the tree has, unless told otherwise.
  if (changes.contains("memory_bytes_max") && !limits.process_memory_set) {
    limits.process_memory_bytes_max = std::min(limits.memory_bytes_max, 4 * kGiB);
  }
  return limits;
}

}  // namespace petri
