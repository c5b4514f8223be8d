// How much fuel candidates used, in buckets whose width grows with the amount.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petri {

// Up to 8 units there is a bucket for each number; after that four for every doubling.
class FuelHistogram {
 public:
  struct Bar {
    std::uint64_t from = 0;
    std::uint64_t to = 0;  // the last amount that belongs to it
    std::size_t ok = 0;
    std::size_t other = 0;  // ended in another way
    std::size_t count() const { return ok + other; }
    bool operator==(const Bar&) const = default;
  };

  void add(std::uint64_t fuel, bool ok);

  // From the first bucket with anything in it to the last, without the one for no fuel at all. So many neighbours
  // (1, 2, 4 ...) share a bar that there are at most `bars_max`.
  std::vector<Bar> bars(std::size_t bars_max) const;
  std::size_t without_fuel() const { return buckets_[0].count(); }

 private:
  static constexpr std::size_t kBuckets = 4 * 63;
  std::array<Bar, kBuckets> buckets_{};  // of which from and to stay unset
};

}  // namespace petri
