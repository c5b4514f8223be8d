// The kinds of entries, what each is about and which level keeps it: the one table behind levels and the reference
// page.
#pragma once

#include <span>
#include <string_view>

#include "petri/audit.h"

namespace petri {

struct AuditKindRule {
  AuditKind kind;
  AuditLevel kept_from;  // this level and those above it
  std::string_view meaning;
  std::string_view cause;  // what an entry's cause is
};
// One a kind, in the order of AuditKind.
std::span<const AuditKindRule> audit_kind_rules();

}  // namespace petri
