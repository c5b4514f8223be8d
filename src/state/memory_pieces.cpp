#include "state/memory_pieces.h"

namespace petri {
namespace {

bool extents_meet(const MemoryPieces& a, const MemoryPieces& b) { return a.address < b.end() && b.address < a.end(); }

// Looks at the one element of the row that is the first to end behind the block's start.
bool touches_block(const MemoryPieces& row, const MemoryPieces& block) {
  const std::uint64_t first_end = row.address + row.size;
  const std::uint64_t index = block.address < first_end ? 0 : (block.address - first_end) / row.stride + 1;
  return index < row.count && row.address + index * row.stride < block.end();
}

// Both have the same stride and `low` starts no later: an element of `high` can meet the element of `low` that starts
// before it, and the one after.
bool rows_touch(const MemoryPieces& low, const MemoryPieces& high) {
  const std::uint64_t before = (high.address - low.address) / low.stride;
  const std::uint64_t distance = (high.address - low.address) % low.stride;
  const bool meets_before = before < low.count && distance < low.size;
  const bool meets_after = before + 1 < low.count && low.stride - distance < high.size;
  return meets_before || meets_after;
}

}  // namespace

bool touch(const MemoryPieces& a, const MemoryPieces& b) {
  if (!extents_meet(a, b)) return false;
  if (a.is_solid() && b.is_solid()) return true;
  if (b.is_solid()) return touches_block(a, b);
  if (a.is_solid()) return touches_block(b, a);
  if (a.stride != b.stride) return true;
  return a.address <= b.address ? rows_touch(a, b) : rows_touch(b, a);
}

}  // namespace petri
