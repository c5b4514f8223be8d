// Points in time as RFC 3339 has them: UTC, with microseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "petri/audit.h"

namespace petri {

// "2026-11-15T13:44:37.250000Z"; what is finer is cut off.
void write_time(std::string& text, AuditTime time);
// Nothing when it is written in any other way, or no such time is.
std::optional<AuditTime> parse_time(std::string_view text);

}  // namespace petri
