// Bytes as lower-case hexadecimal digits, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace petri {

std::string to_hex(std::span<const std::uint8_t> bytes);
// Nothing when the text has an odd length or anything but hexadecimal digits of either case.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

}  // namespace petri
