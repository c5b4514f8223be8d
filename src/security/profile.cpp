#include "petri/policy.h"

#include <array>

#include "base/name_table.h"
#include "base/text/units.h"

namespace petri {
namespace {

using enum Permission;

constexpr NameTable<3> kProfiles{"strict", "standard", "trusted"};
// The names that the same profiles had before.
constexpr NameTable<3> kOldNames{"high", "medium", "low"};

constexpr Permissions kStrict{messages, timers, spawn};
constexpr Permissions kStandard = kStrict.with({log, clock, random, file_read});
constexpr Permissions kTrusted = kStandard.with(file_write);

// Everything a profile sets; all other limits are the same everywhere.
struct Row {
  std::uint64_t memory_bytes, processes;
  std::chrono::seconds time;
  std::optional<std::uint64_t> cpu_percent;  // nullopt: as much as there is
  std::uint64_t module_bytes;
};
constexpr std::array<Row, kProfiles.size()> kLimits{{
    {64 * kMiB, 50, std::chrono::seconds(60), 50, 1 * kMiB},
    {128 * kMiB, 100, std::chrono::seconds(300), 100, 5 * kMiB},
    {256 * kMiB, 200, std::chrono::seconds(600), std::nullopt, kProgramBytesMax},
}};
constexpr std::array<ProfileRule, kProfiles.size()> kProfileRules{{
    {Profile::strict, kStrict, AuditLevel::full, ModuleBounds::candidate},
    {Profile::standard, kStandard, AuditLevel::basic, ModuleBounds::candidate},
    {Profile::trusted, kTrusted, AuditLevel::basic, ModuleBounds::program},
}};

}  // namespace

std::string_view name_of(Profile profile) { return name_in(kProfiles, profile); }
std::optional<Profile> profile_named(std::string_view name) {
  const auto profile = find_name<Profile>(kProfiles, name);
  return profile ? profile : find_name<Profile>(kOldNames, name);
}

const ProfileRule& rule_of(Profile profile) { return kProfileRules[static_cast<std::size_t>(profile)]; }
std::span<const ProfileRule> profile_rules() { return kProfileRules; }

Permissions Permissions::standard() { return kStandard; }

SandboxLimits SandboxLimits::of(Profile profile) {
  const Row& row = kLimits[static_cast<std::size_t>(profile)];
  SandboxLimits limits;
  limits.memory_bytes_max = row.memory_bytes;
  limits.process_memory_bytes_max = row.memory_bytes;
  limits.processes_max = row.processes;
  limits.execution_time_max = row.time;
  limits.cpu_percent_max = row.cpu_percent.value_or(sandbox_limit_named("cpu_percent_max")->max);
  limits.module_bytes_max = row.module_bytes;
  return limits;
}

std::string ProfileSpec::title() const {
  if (!name.empty()) return name;
  return base ? std::string(name_of(*base)) : std::string();
}

}  // namespace petri
