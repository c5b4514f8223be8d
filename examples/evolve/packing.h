// Online bin packing: items come one by one and each has to go into a bin at once. And what two well-known rules make
// of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evolve {

using Items = std::vector<std::uint16_t>;  // each from 1 to the capacity

struct Instances {
  std::uint16_t capacity = 0;
  std::vector<Items> all;
};

// ceil(sum / capacity): no packing uses fewer bins.
std::size_t l1_bound(const Items& items, std::uint16_t capacity);
// Into the first bin with room.
std::size_t first_fit(const Items& items, std::uint16_t capacity);
// Into the fullest bin with room.
std::size_t best_fit(const Items& items, std::uint16_t capacity);

std::size_t l1_bound(const Instances& instances);
// How many percent more bins than the bound.
double excess_percent(std::size_t bins, std::size_t bound);

}  // namespace evolve
