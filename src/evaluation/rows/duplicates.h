// Finds the first row of each candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "petri/evaluate.h"

namespace petri {

// Rows are given in their order, by one thread at a time. Made for millions of them: a few bytes and one look each.
class Duplicates {
 public:
  // `keys` has one digest a row, which is final once the row is given; it outlives this.
  explicit Duplicates(const std::vector<Sha256>& keys);

  // The earlier row with the same key, or `row` itself.
  std::size_t first_row_like(std::size_t row);

 private:
  const std::vector<Sha256>& keys_;
  std::vector<std::uint32_t> slots_;  // row + 1; 0 is free
};

}  // namespace petri
