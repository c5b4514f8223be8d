#include "resources/limit_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "base/text/units.h"

namespace petri {
namespace {

constexpr std::uint64_t kCountMax = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kHour = 3'600'000 * kMillisecond;

std::uint64_t to_number(std::uint64_t value) { return value; }
std::uint64_t to_number(std::chrono::nanoseconds value) { return static_cast<std::uint64_t>(value.count()); }
void assign(std::uint64_t& field, std::uint64_t number) { field = number; }
void assign(std::chrono::nanoseconds& field, std::uint64_t number) {
  field = std::chrono::nanoseconds(static_cast<std::int64_t>(number));
}

template <auto Field, auto Change>
LimitRow sandbox_row(const LimitRule& rule) {
  return {.rule = rule,
          .of_run = nullptr,
          .set_run = nullptr,
          .of_sandbox = [](const SandboxLimits& limits) { return to_number(limits.*Field); },
          .set_sandbox = [](SandboxLimits& limits, std::uint64_t value) { assign(limits.*Field, value); },
          .of_changes = [](const LimitChanges& changes) -> std::optional<std::uint64_t> {
            if (!(changes.*Change)) return std::nullopt;
            return to_number(*(changes.*Change));
          },
          .set_change = [](LimitChanges& changes, std::uint64_t value) { assign((changes.*Change).emplace(), value); }};
}

template <auto Field, auto Change>
LimitRow run_row(const LimitRule& rule) {
  LimitRow row = sandbox_row<Field, Change>(rule);
  row.of_run = [](const Limits& limits) { return to_number(limits.*Field); };
  row.set_run = [](Limits& limits, std::uint64_t value) { assign(limits.*Field, value); };
  return row;
}

// Calls have a bound of fuel only once one was set.
LimitRow fuel_row(const LimitRule& rule) {
  LimitRow row = run_row<&Limits::fuel_max, &LimitChanges::fuel_max>(rule);
  row.set_sandbox = [](SandboxLimits& limits, std::uint64_t value) {
    limits.fuel_max = value;
    limits.call_fuel_max = value;
  };
  return row;
}

LimitRow process_memory_row(const LimitRule& rule) {
  LimitRow row = sandbox_row<&SandboxLimits::process_memory_bytes_max, &LimitChanges::process_memory_bytes_max>(rule);
  row.set_sandbox = [](SandboxLimits& limits, std::uint64_t value) {
    limits.process_memory_bytes_max = value;
    limits.process_memory_set = true;
  };
  return row;
}

// More than all cores together there is not: this much is no limit.
std::uint64_t cpu_percent_of_all() { return 100 * std::max(1U, std::thread::hardware_concurrency()); }

constexpr std::string_view kRefused = "refused";
constexpr std::string_view kNextWork = "holds from the next call or run on";
constexpr std::string_view kNextMessage = "holds from the next message on; what waits stays";
constexpr std::string_view kNextWrite = "holds from the next write on; what is there stays";
constexpr std::string_view kAtOnce = "holds at once";

#define PETRI_RUN_LIMIT(field) run_row<&Limits::field, &LimitChanges::field>
#define PETRI_SANDBOX_LIMIT(field) sandbox_row<&SandboxLimits::field, &LimitChanges::field>

std::vector<LimitRow> make_rows() {
  return {
      PETRI_RUN_LIMIT(execution_time_max)({"execution_time_max", "ns", kMillisecond, kHour, "ends, deadline", false,
                                           "ends at once what has run for longer, as deadline"}),
      PETRI_RUN_LIMIT(memory_bytes_max)(
          {"memory_bytes_max", "bytes", 64 * kKiB, kTiB,
           "growth is refused (-1); a module's minimum that does not fit ends as memory_limit", true,
           "refused below what is in use"}),
      fuel_row({"fuel_max", "units", 1, std::uint64_t{1} << 62, "ends, out_of_fuel", false, kNextWork}),
      PETRI_RUN_LIMIT(module_bytes_max)({"module_bytes_max", "bytes", kKiB, 100 * kMiB, "refused, module_too_large",
                                         false, "holds from the next module on"}),
      PETRI_RUN_LIMIT(file_bytes_max)({"file_bytes_max", "bytes", 0, kTiB, "the write fails", true, kNextWrite}),
      PETRI_RUN_LIMIT(files_max)({"files_max", "files", 0, 1'000'000, "the file is not created", true, kNextWrite}),
      PETRI_RUN_LIMIT(disk_bytes_max)({"disk_bytes_max", "bytes", 0, kTiB, "the write fails", true, kNextWrite}),
      PETRI_RUN_LIMIT(output_bytes_max)({"output_bytes_max", "bytes", 0, kCountMax,
                                         "a run ends, output_limit; of a live process the rest is cut and counted",
                                         true, kNextWork}),
      PETRI_RUN_LIMIT(log_bytes_per_second_max)(
          {"log_bytes_per_second_max", "bytes/s", 0, kGiB, "the line is dropped and counted", true, kNextWork}),
      PETRI_RUN_LIMIT(call_depth_max)(
          {"call_depth_max", "frames", 16, 8'192, "ends, stack_overflow", false, kNextWork}),
      process_memory_row({"process_memory_bytes_max", "bytes", 64 * kKiB, 4 * kGiB,
                          "as memory_bytes_max, for one process", true, "refused below what a process uses"}),
      PETRI_SANDBOX_LIMIT(processes_max)(
          {"processes_max", "processes", 1, 1'000'000, kRefused, true, "refused below those that live"}),
      PETRI_SANDBOX_LIMIT(cpu_percent_max)(
          {"cpu_percent_max", "percent", 1, cpu_percent_of_all(), "held to it", false, kAtOnce}),
      PETRI_SANDBOX_LIMIT(cpu_grace)({"cpu_grace", "ns", 0, kHour,
                                      "a process held to cpu_percent_max that long ends, cpu_limit; 0: never", false,
                                      kAtOnce}),
      PETRI_SANDBOX_LIMIT(message_queue_max)(
          {"message_queue_max", "messages", 1, kCountMax, "the sender is refused, queue_full", true, kNextMessage}),
      PETRI_SANDBOX_LIMIT(message_bytes_max)(
          {"message_bytes_max", "bytes", 0, kCountMax, "the sender is refused, too_large", true, kNextMessage}),
      PETRI_SANDBOX_LIMIT(timers_max)({"timers_max", "timers", 0, 1'000'000, kRefused, true,
                                       "holds from the next timer on; those that are set ring"}),
      PETRI_SANDBOX_LIMIT(descriptors_max)({"descriptors_max", "descriptors", 0, 1'000'000, "the file is not opened",
                                            true, "holds from the next file on; what is open stays open"}),
      PETRI_SANDBOX_LIMIT(threads_max)({"threads_max", "threads", 1, 1'000'000,
                                        "what is to be handled waits until another is done", false,
                                        "holds from the next message on; what is being handled continues"}),
      PETRI_SANDBOX_LIMIT(state_bytes_max)({"state_bytes_max", "bytes", 0, 4 * kGiB,
                                            "reload, snapshot and fork are refused, limit_exceeded", false,
                                            "holds from the next reload, snapshot or fork on"}),
      PETRI_SANDBOX_LIMIT(versions_max)({"versions_max", "versions", 1, 1'000,
                                         "the oldest version that is not active goes", false,
                                         "the oldest versions that are not active go at once"}),
      PETRI_SANDBOX_LIMIT(shutdown_max)({"shutdown_max", "ns", 0, 24 * kHour, "what has not ended by then is killed",
                                         false, "holds from the next end on"}),
  };
}

#undef PETRI_RUN_LIMIT
#undef PETRI_SANDBOX_LIMIT

std::vector<LimitRule> rules_of_rows() {
  std::vector<LimitRule> rules;
  for (const LimitRow& row : limit_rows()) rules.push_back(row.rule);
  return rules;
}

const LimitRow& row_of(const LimitRule& rule) {
  const auto rows = limit_rows();
  const auto found = std::ranges::find(rows, rule.name, [](const LimitRow& row) { return row.rule.name; });
  PETRI_ASSERT(found != rows.end());
  return *found;
}

const LimitRule* find_rule(std::span<const LimitRule> rules, std::string_view name) {
  const auto found = std::ranges::find(rules, name, &LimitRule::name);
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

std::span<const LimitRow> limit_rows() {
  static const std::vector<LimitRow> rows = make_rows();
  return rows;
}

std::span<const LimitRule> sandbox_limit_rules() {
  static const std::vector<LimitRule> rules = rules_of_rows();
  return rules;
}

std::span<const LimitRule> limit_rules() {
  static const auto count = static_cast<std::size_t>(
      std::ranges::count_if(limit_rows(), [](const LimitRow& row) { return row.of_run != nullptr; }));
  return sandbox_limit_rules().first(count);
}

const LimitRule* limit_named(std::string_view name) { return find_rule(limit_rules(), name); }
const LimitRule* sandbox_limit_named(std::string_view name) { return find_rule(sandbox_limit_rules(), name); }

std::uint64_t limit_value(const Limits& limits, const LimitRule& rule) {
  PETRI_ASSERT(row_of(rule).of_run != nullptr);
  return row_of(rule).of_run(limits);
}
std::uint64_t limit_value(const SandboxLimits& limits, const LimitRule& rule) {
  return row_of(rule).of_sandbox(limits);
}
std::optional<std::uint64_t> limit_value(const LimitChanges& changes, const LimitRule& rule) {
  return row_of(rule).of_changes(changes);
}

void set_limit_value(Limits& limits, const LimitRule& rule, std::uint64_t value) {
  PETRI_ASSERT(row_of(rule).of_run != nullptr);
  row_of(rule).set_run(limits, value);
}
void set_limit_value(LimitChanges& changes, const LimitRule& rule, std::uint64_t value) {
  row_of(rule).set_change(changes, value);
}

bool in_range(const LimitRule& rule, std::uint64_t value) { return value >= rule.min && value <= rule.max; }

std::string out_of_range(const LimitRule& rule, std::uint64_t value) {
  if (format_limit(rule, value) == format_limit(rule, value < rule.min ? rule.min : rule.max)) {
    return fmt::format("{} is {} {} but goes from {} to {}", rule.name, format_count(value), rule.unit,
                       format_count(rule.min), format_count(rule.max));
  }
  return fmt::format("{} is {} but goes from {} to {}", rule.name, format_limit(rule, value),
                     format_limit(rule, rule.min), format_limit(rule, rule.max));
}

std::string limit_names(std::span<const LimitRule> rules, bool only_refusing) {
  std::string names;
  for (const LimitRule& rule : rules) {
    if (only_refusing && !rule.refuses_guest) continue;
    names.append(names.empty() ? "" : ", ").append(rule.name);
  }
  return names;
}

std::string format_limit(const LimitRule& rule, std::uint64_t value) {
  if (rule.unit == "bytes") return format_bytes(value);
  if (rule.unit == "bytes/s") return format_bytes(value) + "/s";
  if (rule.unit == "percent") return fmt::format("{} %", value);
  if (rule.unit == "ns") return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(value)));
  return format_count(value);
}

}  // namespace petri
