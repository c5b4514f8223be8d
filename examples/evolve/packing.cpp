#include "evolve/packing.h"

#include <algorithm>
#include <numeric>

namespace evolve {
namespace {

// Puts every item into the bin `choose` names among those that are open, or else into a new one; bins are known by the
// room they have left.
template <typename Choose>
std::size_t pack(const Items& items, std::uint16_t capacity, Choose choose) {
  std::vector<std::uint16_t> rooms;
  for (const std::uint16_t item : items) {
    auto bin = choose(rooms, item);
    if (bin == rooms.end()) bin = rooms.insert(rooms.end(), capacity);
    *bin = static_cast<std::uint16_t>(*bin - item);
  }
  return rooms.size();
}

}  // namespace

std::size_t l1_bound(const Items& items, std::uint16_t capacity) {
  const std::size_t sum = std::accumulate(items.begin(), items.end(), std::size_t{0});
  return (sum + capacity - 1) / capacity;
}

std::size_t first_fit(const Items& items, std::uint16_t capacity) {
  return pack(items, capacity, [](auto& rooms, std::uint16_t item) {
    return std::ranges::find_if(rooms, [&](std::uint16_t room) { return room >= item; });
  });
}

std::size_t best_fit(const Items& items, std::uint16_t capacity) {
  return pack(items, capacity, [](auto& rooms, std::uint16_t item) {
    auto best = rooms.end();
    for (auto bin = rooms.begin(); bin != rooms.end(); ++bin) {
      if (*bin >= item && (best == rooms.end() || *bin < *best)) best = bin;
    }
    return best;
  });
}

std::size_t l1_bound(const Instances& instances) {
  std::size_t sum = 0;
  for (const Items& items : instances.all) sum += l1_bound(items, instances.capacity);
  return sum;
}

double excess_percent(std::size_t bins, std::size_t bound) {
  return 100 * (static_cast<double>(bins) / static_cast<double>(bound) - 1);
}

}  // namespace evolve
