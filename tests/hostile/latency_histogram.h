// Many durations, kept as counts, so that those of several programs can be put together.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>

namespace petri {

// Each bucket is an eighth of a power of two wide: a percentile is too large by an eighth at most. To add one takes no
// memory, so that measuring waits for nobody.
class LatencyHistogram {
 public:
  void add(std::chrono::nanoseconds latency) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 0));
    ++buckets_[bucket_of(value)];
    ++count_;
    max_ = std::max(max_, value);
  }
  void merge(const LatencyHistogram& other) {
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) buckets_[bucket] += other.buckets_[bucket];
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
  // The time that this share of all, from 0 to 1, does not exceed.
  std::chrono::nanoseconds percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
      seen += buckets_[bucket];
      if (seen > wanted) return std::chrono::nanoseconds(std::min(end_of(bucket), max_));
    }
    return max();
  }
  // How many lie above, as far as the buckets tell.
  std::uint64_t count_above(std::chrono::nanoseconds bound) const {
    const std::uint32_t last = bucket_of(static_cast<std::uint64_t>(bound.count()));
    return std::accumulate(buckets_.begin() + last + 1, buckets_.end(), std::uint64_t{0});
  }

  nlohmann::json to_json() const {
    nlohmann::json buckets = nlohmann::json::array();
    for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
      if (buckets_[bucket] > 0) buckets.push_back({bucket, buckets_[bucket]});
    }
    return {{"max", max_}, {"buckets", buckets}};
  }
  static LatencyHistogram from_json(const nlohmann::json& json) {
    LatencyHistogram histogram;
    histogram.max_ = json.at("max").get<std::uint64_t>();
    for (const auto& bucket : json.at("buckets")) {
      const auto count = bucket.at(1).get<std::uint64_t>();
      histogram.buckets_.at(bucket.at(0).get<std::uint32_t>()) += count;
      histogram.count_ += count;
    }
    return histogram;
  }

 private:
  static constexpr std::uint32_t kFine = 8;              // buckets in a power of two
  static constexpr std::uint32_t kBuckets = 62 * kFine;  // up to the largest number there is

  static std::uint32_t bucket_of(std::uint64_t value) {
    if (value < kFine) return static_cast<std::uint32_t>(value);
    const auto power = static_cast<std::uint32_t>(std::bit_width(value)) - 4;  // of the width of the bucket
    return (power + 1) * kFine + static_cast<std::uint32_t>((value >> power) - kFine);
  }
  // The largest value in it.
  static std::uint64_t end_of(std::uint32_t bucket) {
    if (bucket < kFine) return bucket;
    const std::uint32_t power = bucket / kFine - 1;
    return ((std::uint64_t{bucket % kFine} + kFine + 1) << power) - 1;
  }

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace petri
