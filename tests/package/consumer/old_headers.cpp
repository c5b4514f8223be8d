// Every header that has moved, by its old name, and the names that types had before.
#include <petri/audit_level.h>
#include <petri/containment.h>
#include <petri/error.h>
#include <petri/event_logger.h>
#include <petri/event_text.h>
#include <petri/findings.h>
#include <petri/guest_error.h>
#include <petri/host_callable.h>
#include <petri/log_level.h>
#include <petri/module_archive.h>
#include <petri/permissions.h>
#include <petri/profile.h>
#include <petri/recovery.h>
#include <petri/report.h>
#include <petri/sandbox_limits.h>
#include <petri/testing.h>
#include <petri/usage.h>
#include <petri/wasm_builder.h>
#include <petri/wasm_operators.h>

petri::Digest digest;
petri::AuditHash audit_hash;
petri::VersionTime version_time;
petri::AuditTime audit_time;
const petri::SandboxLimitRule* rule = petri::sandbox_limit_named("fuel_max");
const petri::Result<petri::LimitChanges> changes = petri::limit_changes({{"fuel_max", 1'000}});
