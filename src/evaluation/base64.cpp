#include "evaluation/base64.h"

#include <algorithm>
#include <array>

namespace petri {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 255;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t index = 0; index < kDigits.size(); ++index) {
    values[static_cast<unsigned char>(kDigits[index])] = static_cast<std::uint8_t>(index);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

using TwoDigits = std::array<char, 2>;

constexpr std::array<TwoDigits, 4096> make_pairs() {
  std::array<TwoDigits, 4096> pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits) pairs[bits] = {kDigits[bits >> 6], kDigits[bits & 63]};
  return pairs;
}
constexpr std::array<TwoDigits, 4096> kPairs = make_pairs();

std::uint32_t value_of(char digit) { return kValues[static_cast<unsigned char>(digit)]; }

std::size_t padding_of(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

}  // namespace

char* write_base64(std::span<const std::uint8_t> bytes, char* out) {
  std::size_t index = 0;
  for (; index + 3 <= bytes.size(); index += 3) {
    const std::uint32_t three =
        std::uint32_t{bytes[index]} << 16 | std::uint32_t{bytes[index + 1]} << 8 | bytes[index + 2];
    out = std::ranges::copy(kPairs[three >> 12], out).out;
    out = std::ranges::copy(kPairs[three & 4095], out).out;
  }
  const std::size_t left = bytes.size() - index;
  if (left == 0) return out;
  const std::uint32_t last = std::uint32_t{bytes[index]} << 16 | (left == 2 ? std::uint32_t{bytes[index + 1]} << 8 : 0);
  *out++ = kDigits[last >> 18];
  *out++ = kDigits[last >> 12 & 63];
  *out++ = left == 2 ? kDigits[last >> 6 & 63] : '=';
  *out++ = '=';
  return out;
}

std::optional<std::vector<std::uint8_t>> read_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = padding_of(text);
  text.remove_suffix(padding);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : text) {
    if (value_of(digit) == kNoDigit) return std::nullopt;
    bits = bits << 6 | value_of(digit);
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
