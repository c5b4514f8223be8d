// Random numbers from a seed alone: the same numbers on every machine, which the distributions of <random> do not
// promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace evolve {

// SplitMix64. For one thread.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = (state_ += 0x9e37'79b9'7f4a'7c15U);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11ebU;
    return mixed ^ (mixed >> 31);
  }

  // 0 to bound - 1; the bound is small beside 2^64, so that the remainder favours nobody one could notice.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // 0 <= unit < 1
  double between(double low, double high) { return low + (high - low) * unit(); }
  bool happens(double probability) { return unit() < probability; }

  template <typename T>
  const T& pick(std::span<const T> choices) {
    return choices[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace evolve
