// Numbers that depend on a seed and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace petri {

// xoshiro256**, its state filled from the seed by splitmix64. Not for secrets.
class SeededRandom {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit SeededRandom(std::uint64_t seed);
  // Continues where another was; a state of zeros, which none ever has, is one of another seed.
  explicit SeededRandom(const State& state) : state_(state) {
    if (state_ == State{}) *this = SeededRandom(0);
  }
  const State& state() const { return state_; }
  std::uint64_t next();
  // Eight bytes of each number, least significant first.
  void fill(std::span<std::uint8_t> bytes);

 private:
  State state_;
};

}  // namespace petri
