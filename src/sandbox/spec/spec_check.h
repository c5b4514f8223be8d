// The spec of a sandbox: everything that can be wrong with it, found before anything is touched; what a runtime has for
// specs that leave something out; and its parts inside other JSON documents.
#pragma once

#include "base/complaints.h"
#include "base/json/json_reader.h"
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
  ModuleBounds bounds = ModuleBounds::candidate;
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

// ---- defaults of a runtime

// Everything but the limits, which check_spec() sorts in between those of the spec and those of the profile.
SandboxSpec with_defaults(SandboxSpec spec, const SandboxSpec& defaults);
// All that is wrong with the defaults by themselves, at places below `where`.
void check_defaults(const SandboxSpec& defaults, const std::string& where, Complaints& complaints);

// ---- JSON

// Limits by their names: numbers in their units, or strings such as "64KiB" and "50ms".
LimitChanges read_limits(const JsonReader& limits);
// The fields of a spec without its id and modules, which a runtime has defaults for.
SandboxSpec read_defaults(const JsonReader& defaults);
// The options outlive what is returned.
JsonReader::Fields breaker_fields(BreakerOptions& breaker);

}  // namespace petri
