#include "evaluation/rows/duplicates.h"

#include <bit>

#include "base/assert.h"
#include "tiering/lru_map.h"

namespace petri {

// At least half of the slots stay free, so that looking for one ends soon.
Duplicates::Duplicates(const std::vector<Sha256>& keys) : keys_(keys), slots_(std::bit_ceil(2 * keys.size() + 1)) {
  PETRI_ASSERT(keys.size() < UINT32_MAX);
}

std::size_t Duplicates::first_row_like(std::size_t row) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_of(keys_[row]) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      slots_[slot] = static_cast<std::uint32_t>(row + 1);
      return row;
    }
    const std::size_t known = slots_[slot] - 1;
    if (keys_[known] == keys_[row]) return known;
  }
}

}  // namespace petri
