#include "host/functions/seeded_random.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace petri {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e37'79b9'7f4a'7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace

SeededRandom::SeededRandom(std::uint64_t seed) : state_() {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

std::uint64_t SeededRandom::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

void SeededRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t word = next();
    const std::size_t count = std::min(bytes.size(), sizeof(word));
    std::memcpy(bytes.data(), &word, count);
    bytes = bytes.subspan(count);
  }
}

}  // namespace petri
