// Bytes as base64 text (RFC 4648, with padding), and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace petri {

constexpr std::size_t base64_size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

// Writes base64_size() characters to `out` and gives back their end.
char* write_base64(std::span<const std::uint8_t> bytes, char* out);

// Nothing when the text is not exactly what write_base64 makes.
std::optional<std::vector<std::uint8_t>> read_base64(std::string_view text);

}  // namespace petri
