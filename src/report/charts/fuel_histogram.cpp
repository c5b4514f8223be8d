#include "report/charts/fuel_histogram.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace petri {
namespace {

// Four buckets a doubling: the highest bit says which doubling, the two after it which quarter.
std::size_t bucket_of(std::uint64_t fuel) {
  if (fuel < 8) return fuel;
  const auto exponent = static_cast<std::size_t>(std::bit_width(fuel)) - 1;
  return 4 * (exponent - 1) + ((fuel >> (exponent - 2)) & 3);
}

std::uint64_t begin_of(std::size_t bucket) {
  if (bucket < 8) return bucket;
  return (4 + bucket % 4) << (bucket / 4 - 1);
}

}  // namespace

void FuelHistogram::add(std::uint64_t fuel, bool ok) {
  Bar& bucket = buckets_[bucket_of(fuel)];
  ++(ok ? bucket.ok : bucket.other);
}

std::vector<FuelHistogram::Bar> FuelHistogram::bars(std::size_t bars_max) const {
  const auto filled = [](const Bar& bar) { return bar.count() > 0; };
  const auto first = std::find_if(buckets_.begin() + 1, buckets_.end(), filled);
  if (first == buckets_.end()) return {};
  const auto begin = static_cast<std::size_t>(first - buckets_.begin());
  const auto end = static_cast<std::size_t>(buckets_.rend() - std::find_if(buckets_.rbegin(), buckets_.rend(), filled));
  std::size_t share = 1;
  while ((end - begin + share - 1) / share > bars_max) share *= 2;

  std::vector<Bar> bars;
  for (std::size_t bucket = begin; bucket < end; ++bucket) {
    if ((bucket - begin) % share == 0) bars.push_back({.from = begin_of(bucket)});
    const bool last = bucket + 1 == kBuckets;
    bars.back().to = last ? std::numeric_limits<std::uint64_t>::max() : begin_of(bucket + 1) - 1;
    bars.back().ok += buckets_[bucket].ok;
    bars.back().other += buckets_[bucket].other;
  }
  return bars;
}

}  // namespace petri
