// The limits of a guest, and those of a sandbox. A limit is here only if something enforces it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// The limits of one run of a guest.
struct Limits {
  std::chrono::nanoseconds execution_time_max = std::chrono::seconds(300);
  std::uint64_t memory_bytes_max = 128ULL << 20;  // linear memory, tables, output
  std::uint64_t fuel_max = 1'000'000'000;
  std::uint64_t module_bytes_max = 5ULL << 20;
  std::uint64_t file_bytes_max = 10ULL << 20;
  std::uint64_t files_max = 1'000;
  std::uint64_t disk_bytes_max = 100ULL << 20;
  std::uint64_t output_bytes_max = 1ULL << 20;
  std::uint64_t log_bytes_per_second_max = 64ULL << 10;
  std::uint64_t call_depth_max = 1'024;
  bool operator==(const Limits&) const = default;
};

// One row of the table of limits: what documents, validation and commands know of a limit. Numbers are in the unit; the
// unit of a duration is "ns".
struct LimitRule {
  std::string_view name;
  std::string_view unit;  // "bytes", "units", "ns", "bytes/s", "frames", "files", "percent", ...
  std::uint64_t min;
  std::uint64_t max;
  std::string_view when_met;
  bool refuses_guest = false;  // something while it runs, so that on_limit may end it instead
  // The effect on a live sandbox that is above the limit when it is lowered.
  std::string_view when_lowered = {};
};
using SandboxLimitRule [[deprecated("write LimitRule")]] = LimitRule;
// The limits of a run, in the order of Limits.
std::span<const LimitRule> limit_rules();
// The limits of a sandbox, in the order of LimitChanges: those of a run, then its own.
std::span<const LimitRule> sandbox_limit_rules();
// The rule of this name, or nullptr.
const LimitRule* limit_named(std::string_view name);
const LimitRule* sandbox_limit_named(std::string_view name);

// A value as people write it in the limit's unit: "16MiB", "50ms", "10000". Out of range is validation_failed.
Result<std::uint64_t> parse_limit(const LimitRule& rule, std::string_view text);
// "16 MiB", "1.5 s", "50 %", "1,000"
std::string format_limit(const LimitRule& rule, std::uint64_t value);

// The value of a limit by its rule, and a new value that nothing checks. The rule is one of limit_rules().
std::uint64_t limit_value(const Limits& limits, const LimitRule& rule);
void set_limit_value(Limits& limits, const LimitRule& rule, std::uint64_t value);
// An unknown name or a value out of range is validation_failed, and `limits` stay as they were.
Result<void> set_limit(Limits& limits, std::string_view name, std::uint64_t value);

// Checks every value; all that are out of range are in one validation_failed.
Result<void> validate(const Limits& limits);

// How much a sandbox is trusted; `strict` allows the least.
enum class Profile : std::uint8_t { strict, standard, trusted };
std::string_view name_of(Profile profile);
// Accepts the names that the profiles had before, too: high, medium and low.
std::optional<Profile> profile_named(std::string_view name);

// memory_bytes_max holds for the whole tree, the other limits of a guest for each of them. fuel_max holds for runs, and
// for calls of live processes only when it was set.
struct SandboxLimits : Limits {
  // The memory of one process. Until it is set it is as large as memory_bytes_max, and follows it; once it was set it
  // keeps its value, and of the two the smaller one holds.
  std::uint64_t process_memory_bytes_max = 128ULL << 20;
  std::uint64_t processes_max = 100;
  std::uint64_t cpu_percent_max = 100;    // of one core
  std::chrono::nanoseconds cpu_grace{0};  // how long a process may be held to it before it is ended; 0: for ever
  std::uint64_t message_queue_max = 10'000;
  std::uint64_t message_bytes_max = 64ULL << 10;
  std::uint64_t timers_max = 1'000;
  std::uint64_t descriptors_max = 256;          // files and folders of the host that are open
  std::uint64_t threads_max = 256;              // of the host, for messages and calls that are being handled
  std::uint64_t state_bytes_max = 16ULL << 20;  // of one process, as it crosses to another version or a snapshot
  std::uint64_t versions_max = 10;              // of one module
  // The time from when the sandbox is stopped, restarted or destroyed until what still runs of it is killed, and the
  // most that any of its processes may take to end in order.
  std::chrono::nanoseconds shutdown_max = std::chrono::seconds(5);
  std::optional<std::uint64_t> call_fuel_max;  // fuel_max, when it was set
  bool process_memory_set = false;             // process_memory_bytes_max was set

  // The limits of a profile.
  static SandboxLimits of(Profile profile);
  bool operator==(const SandboxLimits&) const = default;
};

// The fate of a guest that meets a limit which refuses it something. kill: it ends, as memory_limit for memory, as
// output_limit for its answer, else as cancelled with the limit's name as the cause, and its supervisor acts. A run
// always ends at output_bytes_max, unless `refuse` is asked for.
enum class OnLimit : std::uint8_t { refuse, kill };
std::string_view name_of(OnLimit action);
std::optional<OnLimit> on_limit_named(std::string_view name);
using LimitActions = std::map<std::string, OnLimit, std::less<>>;
// Refuses every name that is no limit, or a limit that does not refuse anything to a guest, in one validation_failed.
Result<void> check_actions(const LimitActions& actions);

// The limits to change; one that is not set keeps its value, except that process_memory_bytes_max follows
// memory_bytes_max until it was set itself. What each limit is says SandboxLimits, with a default and a range in
// docs/reference/limits.md.
//   SandboxSpec{.limits = {.execution_time_max = 20ms, .memory_bytes_max = 16 << 20, .cpu_grace = 1s}}
struct LimitChanges {
  std::optional<std::chrono::nanoseconds> execution_time_max;
  std::optional<std::uint64_t> memory_bytes_max;
  std::optional<std::uint64_t> fuel_max;
  std::optional<std::uint64_t> module_bytes_max;
  std::optional<std::uint64_t> file_bytes_max;
  std::optional<std::uint64_t> files_max;
  std::optional<std::uint64_t> disk_bytes_max;
  std::optional<std::uint64_t> output_bytes_max;
  std::optional<std::uint64_t> log_bytes_per_second_max;
  std::optional<std::uint64_t> call_depth_max;
  std::optional<std::uint64_t> process_memory_bytes_max;
  std::optional<std::uint64_t> processes_max;
  std::optional<std::uint64_t> cpu_percent_max;
  std::optional<std::chrono::nanoseconds> cpu_grace;
  std::optional<std::uint64_t> message_queue_max;
  std::optional<std::uint64_t> message_bytes_max;
  std::optional<std::uint64_t> timers_max;
  std::optional<std::uint64_t> descriptors_max;
  std::optional<std::uint64_t> threads_max;
  std::optional<std::uint64_t> state_bytes_max;
  std::optional<std::uint64_t> versions_max;
  std::optional<std::chrono::nanoseconds> shutdown_max;

  bool empty() const { return *this == LimitChanges{}; }
  bool operator==(const LimitChanges&) const = default;
};

// By rule, one of sandbox_limit_rules(), as for Limits.
std::uint64_t limit_value(const SandboxLimits& limits, const LimitRule& rule);
std::optional<std::uint64_t> limit_value(const LimitChanges& changes, const LimitRule& rule);
void set_limit_value(LimitChanges& changes, const LimitRule& rule, std::uint64_t value);
// By name; an unknown one is validation_failed. The range is checked where the changes are applied.
Result<void> set_limit(LimitChanges& changes, std::string_view name, std::uint64_t value);
// Sets what is not set by what the others set.
void fill_in(LimitChanges& changes, const LimitChanges& others);
// The changes as they were written before they had fields; it goes with the next release.
[[deprecated("write {.memory_bytes_max = 16 << 20}")]] Result<LimitChanges> limit_changes(
    const std::map<std::string, std::uint64_t, std::less<>>& by_name);

// The limits with the changes applied. Every value out of range is in one validation_failed with a detail each; nothing
// is changed then.
Result<SandboxLimits> with_changes(SandboxLimits limits, const LimitChanges& changes);

}  // namespace petri
