// Decisions taken from the bytes of an input, for targets that make something valid around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace petri::fuzz {

// The bytes decide while they last, so that libFuzzer can steer; after them a generator that they seed.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes);

  std::size_t below(std::size_t bound);  // 0 when bound is 0
  bool one_in(std::size_t count) { return below(count) == 0; }
  // Near an edge of some type, mostly.
  std::uint64_t number();
  std::string text();
  std::string bytes(std::size_t size_max);

 private:
  std::uint64_t next();

  std::span<const std::uint8_t> rest_;
  std::mt19937_64 random_;
};

}  // namespace petri::fuzz
