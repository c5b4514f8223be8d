#include "base/text/utf8.h"

#include "base/assert.h"

namespace petri {
namespace {

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

constexpr bool is_character(char32_t code_point, std::size_t bytes) {
  if (bytes == 3) return code_point >= 0x800 && (code_point < 0xd800 || code_point > 0xdfff);
  if (bytes == 4) return code_point >= 0x10000 && code_point <= 0x10ffff;
  return true;
}

}  // namespace

std::size_t utf8_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

Utf8Step decode_utf8(std::string_view text) {
  PETRI_ASSERT(!text.empty());
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = utf8_length(first);
  if (bytes == 1) return {.code_point = first, .bytes = 1, .valid = true};
  if (bytes == 0 || bytes > text.size()) return {};

  char32_t code_point = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  if (!is_character(code_point, bytes)) return {};
  return {.code_point = code_point, .bytes = bytes, .valid = true};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    if (!step.valid) return false;
    text.remove_prefix(step.bytes);
  }
  return true;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto byte = [&text](char32_t bits) { text += static_cast<char>(bits); };
  if (code_point < 0x80) return byte(code_point);
  if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      byte(0xe0 | code_point >> 12);
    } else {
      byte(0xf0 | code_point >> 18);
      byte(0x80 | (code_point >> 12 & 0x3f));
    }
    byte(0x80 | (code_point >> 6 & 0x3f));
  }
  byte(0x80 | (code_point & 0x3f));
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  // A character has at most three continuation bytes; more of them are no text, and may be cut anywhere.
  for (int i = 0; i < 3 && end > 0 && is_continuation(text[end]); ++i) --end;
  return text.substr(0, is_continuation(text[end]) ? bytes_max : end);
}

}  // namespace petri
