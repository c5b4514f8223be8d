// The audit level: how much of what happens to a sandbox its audit trail keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petri {

// Nothing; what was refused, ended or changed; also what was granted.
enum class AuditLevel : std::uint8_t { none, basic, full };
std::string_view name_of(AuditLevel level);
std::optional<AuditLevel> audit_level_named(std::string_view name);

}  // namespace petri
