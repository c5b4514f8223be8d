#include "base/text/byte_text.h"

namespace petri {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::uint8_t> hex_digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
  return std::nullopt;
}

void append_hex(std::string& text, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  append_hex(text, bytes);
  return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_digit_value(text[i]);
    const auto low = hex_digit_value(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
  }
  return bytes;
}

// Three bytes are four digits; where bytes are missing at the end, "=" stands for the digits that would be zero.
void append_base64(std::string& text, std::span<const std::uint8_t> bytes) {
  for (std::size_t index = 0; index < bytes.size(); index += 3) {
    const std::size_t left = bytes.size() - index;
    const std::uint32_t three = std::uint32_t{bytes[index]} << 16 |
                                (left > 1 ? std::uint32_t{bytes[index + 1]} << 8 : 0U) |
                                (left > 2 ? std::uint32_t{bytes[index + 2]} : 0U);
    const char digits[4] = {kBase64Digits[three >> 18], kBase64Digits[three >> 12 & 63],
                            left > 1 ? kBase64Digits[three >> 6 & 63] : '=',
                            left > 2 ? kBase64Digits[three & 63] : '='};
    text.append(digits, 4);
  }
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  text.remove_suffix(padding);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : text) {
    const std::size_t value = kBase64Digits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
  }
  // The bits that fill up the last digit are zero, or two texts would stand for the same bytes.
  const bool exact = (bits & ((1U << count) - 1)) == 0 && count == padding * 2;
  if (!exact) return std::nullopt;
  return bytes;
}

}  // namespace petri
