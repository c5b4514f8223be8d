#include "petri/policy.h"

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<3> kLevels{"none", "basic", "full"};

}  // namespace

std::string_view name_of(AuditLevel level) { return name_in(kLevels, level); }
std::optional<AuditLevel> audit_level_named(std::string_view name) { return find_name<AuditLevel>(kLevels, name); }

}  // namespace petri
