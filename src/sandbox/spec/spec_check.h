// Everything that can be wrong with a SandboxSpec, found before anything is touched.
#pragma once

#include "base/complaints.h"
#include "petri/host_functions.h"
#include "petri/sandbox.h"
#include "security/import_policy.h"

namespace petri {

// The policy that the profile and the rest of a spec result in.
struct SandboxPolicy {
  SandboxLimits limits;
  Permissions permissions;
  ImportPolicy imports;
  std::optional<Severity> reject_findings;
  AuditLevel audit = AuditLevel::basic;
  bool operator==(const SandboxPolicy&) const = default;
};

// The profile of a spec, or the one a spec without any has.
ProfileSpec profile_of(const SandboxSpec& spec);

// The limits of the runtime stand below those of the spec. One validation_failed with all that is wrong, a detail for
// each.
Result<SandboxPolicy> check_spec(const SandboxSpec& spec, const LimitChanges& defaults, const HostFunctions& host);

// The part of it that needs to know nothing of a runtime.
void check_spec_alone(const SandboxSpec& spec, Complaints& complaints);

// Fails unless a sandbox of this profile may have these.
Result<void> check_permissions(const ProfileSpec& profile, Permissions permissions);

}  // namespace petri
