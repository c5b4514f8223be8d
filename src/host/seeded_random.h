// Numbers that depend on a seed and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace petri {

// xoshiro256**, its state filled from the seed by splitmix64. Not for secrets.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed);
  std::uint64_t next();
  // Eight bytes of each number, least significant first.
  void fill(std::span<std::uint8_t> bytes);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace petri
