// For tests: a module with a number in every place where the format has one, of which one is spelled in a way of its
// own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace petri {

enum class Spelling {
  shortest,
  padded,     // in as many bytes as are allowed
  too_long,   // in one byte more
  too_large,  // in as many bytes as are allowed, with a bit beyond the number's own
  enormous,   // 2^32 - 1
};

struct NumberedModule {
  std::vector<std::uint8_t> bytes;
  std::size_t numbers = 0;  // there are
  bool is_length = false;   // the chosen one, of a vector, a section or a body
};

// The chosen number, counted from 0, is spelled so and all others as short as can be.
NumberedModule numbered_module(std::size_t chosen, Spelling spelling);

}  // namespace petri
