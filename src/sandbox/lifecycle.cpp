#include "sandbox/lifecycle.h"

#include <array>

#include "base/name_table.h"

namespace petri {
namespace {

constexpr std::size_t kStatusCount = 9, kEventCount = 9;
constexpr NameTable<kStatusCount> kStatuses{"initializing", "compiling", "starting", "running", "reloading",
                                            "stopping",     "stopped",   "isolated", "failed"};
constexpr NameTable<kEventCount> kEvents{"load", "start", "started", "change", "changed",
                                         "end",  "ended", "isolate", "fail"};

using StatusRow = std::array<std::optional<SandboxStatus>, kStatusCount>;
constexpr auto kNone = std::nullopt;
constexpr auto kCompiling = SandboxStatus::compiling, kStarting = SandboxStatus::starting,
               kRunning = SandboxStatus::running, kReloading = SandboxStatus::reloading,
               kStopping = SandboxStatus::stopping, kStopped = SandboxStatus::stopped,
               kIsolated = SandboxStatus::isolated, kFailed = SandboxStatus::failed;

// A row for each event, a column for each status, both in the order of their enumerators.
// clang-format off
constexpr std::array<StatusRow, kEventCount> kNext{{
    // initializing, compiling, starting,   running,    reloading,  stopping,   stopped,    isolated,  failed
    {kCompiling,     kNone,     kCompiling, kNone,      kNone,      kCompiling, kCompiling, kNone,     kCompiling},
    {kNone,          kStarting, kStarting,  kNone,      kNone,      kStarting,  kStarting,  kNone,     kStarting},
    {kNone,          kNone,     kRunning,   kNone,      kNone,      kNone,      kNone,      kNone,     kNone},
    {kNone,          kNone,     kNone,      kReloading, kNone,      kNone,      kNone,      kNone,     kNone},
    {kNone,          kNone,     kNone,      kNone,      kRunning,   kNone,      kNone,      kNone,     kNone},
    {kStopping,      kStopping, kStopping,  kStopping,  kStopping,  kStopping,  kStopping,  kStopping, kStopping},
    {kNone,          kStopped,  kStopped,   kStopped,   kStopped,   kStopped,   kNone,      kNone,     kNone},
    {kNone,          kNone,     kIsolated,  kIsolated,  kIsolated,  kIsolated,  kNone,      kNone,     kNone},
    {kFailed,        kFailed,   kFailed,    kFailed,    kFailed,    kFailed,    kFailed,    kFailed,   kFailed},
}};
// clang-format on

}  // namespace

std::span<const SandboxStatus> all_sandbox_statuses() {
  static const std::array<SandboxStatus, kStatusCount> all = [] {
    std::array<SandboxStatus, kStatusCount> statuses{};
    for (std::size_t i = 0; i < statuses.size(); ++i) statuses[i] = static_cast<SandboxStatus>(i);
    return statuses;
  }();
  return all;
}

std::string_view name_of(SandboxStatus status) { return name_in(kStatuses, status); }
std::optional<SandboxStatus> sandbox_status_named(std::string_view name) {
  return find_name<SandboxStatus>(kStatuses, name);
}
std::string_view name_of(LifecycleEvent event) { return name_in(kEvents, event); }

std::optional<SandboxStatus> next_status(SandboxStatus status, LifecycleEvent event) {
  return kNext[static_cast<std::size_t>(event)][static_cast<std::size_t>(status)];
}

}  // namespace petri
