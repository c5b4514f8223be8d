// How much heap things take, as the C library hands it out: in blocks of 16 bytes, with 8 of its own each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace petri {

constexpr std::size_t heap_block_bytes(std::size_t bytes) {
  constexpr std::size_t kBlockMin = 32, kOwn = 8, kStep = 16;
  return std::max(kBlockMin, (bytes + kOwn + kStep - 1) / kStep * kStep);
}

// Beside the string itself. The same before and after it was moved.
inline std::size_t heap_bytes(const std::string& text) {
  static const std::size_t inside = std::string().capacity();
  return text.capacity() <= inside ? 0 : heap_block_bytes(text.capacity() + 1);
}

}  // namespace petri
