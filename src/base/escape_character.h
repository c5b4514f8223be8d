// How one character is escaped, for those who take a text apart themselves.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace petri {

// One character of a text, or one byte that is none, as escape_text() shows it.
std::string escape_character(std::string_view piece, const Utf8Step& step);

}  // namespace petri
