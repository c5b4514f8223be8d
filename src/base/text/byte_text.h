// Bytes as text, and back: hexadecimal digits, and base64 (RFC 4648, with padding).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace petri {

// The bytes of a text. They live as long as the text does.
inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The value of a hexadecimal digit of either case; nullopt for any other character.
std::optional<std::uint8_t> hex_digit_value(char digit);

// Two lower-case digits a byte.
void append_hex(std::string& text, std::span<const std::uint8_t> bytes);
std::string to_hex(std::span<const std::uint8_t> bytes);
// nullopt when the text has an odd length or anything but hexadecimal digits of either case.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

void append_base64(std::string& text, std::span<const std::uint8_t> bytes);
// nullopt when the text is not exactly what append_base64() writes.
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace petri
