// Elements in memory at equal distances, and whether two such rows touch.
#pragma once

#include <cstdint>

namespace petri {

// `count` elements of `size` bytes, `stride` bytes from one to the next; stride is at least size, and both counts at
// least 1. The numbers come from 32 bits each, so that no sum or product of theirs leaves 64.
struct MemoryPieces {
  std::uint64_t address = 0;
  std::uint64_t size = 1;
  std::uint64_t stride = 1;
  std::uint64_t count = 1;

  std::uint64_t end() const { return address + (count - 1) * stride + size; }
  // One piece without gaps.
  bool is_solid() const { return count == 1 || stride == size; }
};

// Two rows with gaps and unequal strides whose extents meet count as touching: no layout of structs is like that.
bool touch(const MemoryPieces& a, const MemoryPieces& b);

}  // namespace petri
