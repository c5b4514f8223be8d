// Points in time as RFC 3339 has them: in UTC, with microseconds.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace petri {

using UtcTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// "2026-11-15T13:44:37.250000Z"; what is finer is cut off.
std::string to_utc_text(UtcTime time);
// Appends the time to `text` in that form.
void append_utc(std::string& text, UtcTime time);
// nullopt when it is written in any other way, or there is no such time.
std::optional<UtcTime> parse_utc(std::string_view text);

}  // namespace petri
