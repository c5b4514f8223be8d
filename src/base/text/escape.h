// Makes text that came from a guest fit to be shown.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/text/utf8.h"

namespace petri {

// For terminals, logs and messages. Stays on one line and cannot move a cursor, change colours or the direction of
// writing: newline, tab and return become \n, \t, \r; other control characters and bytes that are not UTF-8 become
// \xNN; invisible and direction characters \u{NNNN}; a backslash is doubled. The result has at most `bytes_max` bytes;
// what is longer is cut and ends in "…" (bytes_max of at least 3).
std::string escape_text(std::string_view text, std::size_t bytes_max = std::numeric_limits<std::size_t>::max());

// How much of a wrong word or name a message shows, and how much of a path.
inline constexpr std::size_t kWordShownBytesMax = 80;
inline constexpr std::size_t kNameShownBytesMax = 100;
inline constexpr std::size_t kPathShownBytesMax = 4'096;

// The escaped text in double quotes, as messages show a word that is wrong.
std::string in_quotes(std::string_view text, std::size_t bytes_max = kWordShownBytesMax);

// A JSON string with its quotes, pure printable text: what escape_text() would escape becomes \uNNNN, and bytes that
// are not UTF-8 become U+FFFD. "<" is escaped too, so that the text cannot end a script element it is put into.
std::string json_string(std::string_view text);

// One character of a text, or one byte that is none, as escape_text() shows it.
std::string escape_character(std::string_view piece, const Utf8Step& step);

}  // namespace petri
