// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace petri {

// One step through a text: the code point, or `valid` false and the single byte that starts no character.
struct Utf8Step {
  char32_t code_point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// Decodes the first character of the text, which must not be empty.
Utf8Step decode_utf8(std::string_view text);

// How many bytes a character with this first byte has; 0 when no character starts with it.
std::size_t utf8_length(unsigned char first);

bool is_utf8(std::string_view text);

// The code point must be one: no surrogate, nothing above U+10FFFF.
void append_utf8(std::string& text, char32_t code_point);

// The longest prefix of at most this many bytes that cuts no character apart.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

}  // namespace petri
