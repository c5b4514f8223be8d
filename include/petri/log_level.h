// The level of a line of a guest's log.
#pragma once

#include <cstdint>
#include <string_view>

namespace petri {

// A guest names a level by its number, from 0.
enum class LogLevel : std::uint8_t { trace, debug, info, warning, error };
std::string_view name_of(LogLevel level);

}  // namespace petri
