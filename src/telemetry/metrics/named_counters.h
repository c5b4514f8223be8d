// A counter for each of some names, for events that are rarer than runs and calls: threads share one cache line.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace petri {

struct NamedCount {
  std::string_view name;
  std::uint64_t count = 0;
  bool operator==(const NamedCount&) const = default;
};

// Safe to use from any thread. The names outlive it; any other name counts as "other", so that no guest can create new
// ones.
class NamedCounters {
 public:
  explicit NamedCounters(std::vector<std::string_view> names) : names_(std::move(names)), counts_(names_.size() + 1) {}

  void add(std::string_view name, std::uint64_t count = 1) noexcept {
    const auto index = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    counts_[index].fetch_add(count, std::memory_order_relaxed);
  }

  // In the order of the names; "other" comes last, and only when there was any.
  std::vector<NamedCount> counts() const {
    std::vector<NamedCount> all;
    for (std::size_t i = 0; i < names_.size(); ++i) all.push_back({names_[i], counts_[i].load()});
    if (const std::uint64_t others = counts_.back().load(); others > 0) all.push_back({"other", others});
    return all;
  }

 private:
  const std::vector<std::string_view> names_;
  std::vector<std::atomic<std::uint64_t>> counts_;
};

}  // namespace petri
