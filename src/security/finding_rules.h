// The kinds of findings in words, for names and for documents.
#pragma once

#include <span>
#include <string_view>

#include "petri/policy.h"
#include "petri/scan.h"

namespace petri {

struct FindingRule {
  FindingKind kind;
  std::string_view name;
  std::string_view severities;  // how severe it is, and where that depends, on what
  std::string_view meaning;
};
std::span<const FindingRule> finding_rules();
const FindingRule& rule_of(FindingKind kind);

// The family of imports that need this permission, and how severe it is to ask for it: what every profile grants is
// info, what only the lower ones do is more.
FindingKind family_of(Permission permission);
Severity severity_of(Permission permission);

}  // namespace petri
