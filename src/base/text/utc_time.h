// Points in time as RFC 3339 has them: in UTC, with microseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "petri/value.h"

namespace petri {

// "2026-11-15T13:44:37.250000Z"; what is finer is cut off.
std::string to_utc_text(WallTime time);
// Appends the time to `text` in that form.
void append_utc(std::string& text, WallTime time);
// nullopt when it is written in any other way, or there is no such time.
std::optional<WallTime> parse_utc(std::string_view text);

}  // namespace petri
