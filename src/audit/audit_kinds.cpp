#include "audit/audit_kinds.h"

#include <array>

#include "base/name_table.h"

namespace petri {
namespace {

using enum AuditKind;
using enum AuditLevel;

constexpr NameTable<19> kKinds{"sandbox_created", "sandbox_status",  "sandbox_failed",  "sandbox_destroyed",
                               "module_loaded",   "module_rejected", "permission_used", "permission_denied",
                               "limit_met",       "killed",          "limits_changed",  "permissions_changed",
                               "quarantined",     "breaker_changed", "host_pressure",   "recovery",
                               "cache_rejected",  "module_staged",   "module_switched"};
static_assert(static_cast<std::size_t>(module_switched) + 1 == kKinds.size());

constexpr NameTable<5> kFaults{"cut_off", "not_json", "not_an_entry", "wrong_order", "wrong_hash"};

constexpr std::array<AuditKindRule, kKinds.size()> kRules{{
    {sandbox_created, full, "A sandbox is there and runs.", "who or what asked for it"},
    {sandbox_status, full, "Its status changed.", "why, where it is not the caller's wish"},
    {sandbox_failed, basic, "It ended in the status `failed`.", "an error's code, an outcome's kind or a limit"},
    {sandbox_destroyed, full, "The sandbox and all it had are gone.", "who or what asked for it"},
    {module_loaded, full, "A module passed the gate.", "which way in: create, load, reload, run, ..."},
    {module_rejected, basic, "A module was refused, and nothing of it was run.", "code of the error"},
    {permission_used, full, "A guest used a permission that it has.", "the permission"},
    {permission_denied, basic, "A guest asked for what it may not do, and goes on.", "the permission"},
    {limit_met, basic, "A limit refused or cut something, and the guest goes on.", "the limit"},
    {killed, basic, "A limit, or somebody's wish, ended a guest.", "the limit, or `cancelled`"},
    {limits_changed, basic, "The limits of a live sandbox were changed.", "who or what asked for it"},
    {permissions_changed, basic, "The permissions of a live sandbox were changed.", "who or what asked for it"},
    {quarantined, basic, "An artifact is refused for a while, everywhere or in a sandbox of several modules.",
     "the limit it met last, or `lifted`"},
    {breaker_changed, basic, "The breaker of a sandbox opened, tries or closed.", "`opened`, `half_open` or `closed`"},
    {host_pressure, basic, "The runtime's memory budget refuses new sandboxes and processes.", "the budget"},
    {recovery, basic, "Supervision gave up, and the recovery table acted.", "the action"},
    {cache_rejected, basic, "A cache entry was not what it claims to be; it is made again.", "what was wrong with it"},
    {module_staged, full, "Another version of a module passed the gate; what runs is as it was.", "who asked for it"},
    {module_switched, basic, "Another version of a module is the active one.",
     "reload, activate, rollback, trial, ..."},
}};

std::vector<AuditKind> list_kinds() {
  std::vector<AuditKind> kinds;
  for (const AuditKindRule& rule : kRules) kinds.push_back(rule.kind);
  return kinds;
}

}  // namespace

std::string_view name_of(AuditKind kind) { return name_in(kKinds, kind); }
std::optional<AuditKind> audit_kind_named(std::string_view name) { return find_name<AuditKind>(kKinds, name); }
const std::vector<AuditKind>& all_audit_kinds() {
  static const std::vector<AuditKind> kinds = list_kinds();
  return kinds;
}

std::string_view name_of(AuditFaultKind kind) { return name_in(kFaults, kind); }

std::span<const AuditKindRule> audit_kind_rules() { return kRules; }

bool keeps(AuditLevel level, AuditKind kind) { return level >= kRules[static_cast<std::size_t>(kind)].kept_from; }

}  // namespace petri
