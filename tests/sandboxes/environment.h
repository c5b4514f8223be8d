// Environment variables that the longer suites set.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace petri {

inline std::size_t count_from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace petri
