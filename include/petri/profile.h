// A profile says how much a sandbox is trusted: limits, permissions and audit level together, by one name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "petri/audit_level.h"
#include "petri/findings.h"
#include "petri/permissions.h"
#include "petri/sandbox_limits.h"

namespace petri {

// A profile's grants beside its limits, which SandboxLimits::of() has.
struct ProfileRule {
  Profile profile;
  Permissions permissions;
  AuditLevel audit;
};
const ProfileRule& rule_of(Profile profile);
std::span<const ProfileRule> profile_rules();

// The imports that a module may have, whatever its permissions are. An entry is an import module ("math") or one
// function of it ("petri.log"). Imports on the block-list are refused; with an allow-list, so are imports that are not
// on it.
struct ImportRules {
  std::vector<std::string> allow;  // empty: everything
  std::vector<std::string> block;
  bool operator==(const ImportRules&) const = default;
};

// One of the profiles, or one of your own: a base, and where it differs from that.
struct ProfileSpec {
  ProfileSpec() = default;
  ProfileSpec(Profile profile) : base(profile) {}  // NOLINT: a profile is the simplest of these

  std::string name;             // of one of your own
  std::optional<Profile> base;  // without one it is validation_failed
  LimitChanges limits;
  Permissions grant, deny;
  ImportRules imports;
  std::optional<AuditLevel> audit;
  std::optional<Severity> reject_findings;  // modules with findings of this severity or above; nullopt: no scan
  bool operator==(const ProfileSpec&) const = default;

  // The profile's own name, or that of its base.
  std::string title() const;
};

}  // namespace petri
