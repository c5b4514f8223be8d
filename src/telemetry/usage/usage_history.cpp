#include "telemetry/usage/usage_history.h"

#include <algorithm>

namespace petri {
namespace {

// An idle sandbox keeps two or three: it gets no room for more.
constexpr std::size_t kFew = 4;

// Uptime passes for an idle sandbox too.
bool is_same_use(Usage one, const Usage& other) {
  one.uptime = other.uptime;
  return one == other;
}

}  // namespace

void UsageHistory::add(const UsageSample& sample) {
  if (samples_max_ == 0) return;
  if (repeats_two(sample)) {
    kept_[index(0)] = sample;
  } else if (kept_.size() < samples_max_) {
    kept_.push_back(sample);
  } else {
    kept_[oldest_] = sample;
    oldest_ = (oldest_ + 1) % kept_.size();
  }
}

std::size_t UsageHistory::room_wanted() const {
  const bool full = kept_.size() == kept_.capacity() && kept_.size() < samples_max_;
  return full ? std::min(samples_max_, kept_.size() < kFew ? kept_.size() + 1 : 2 * kept_.size()) : 0;
}

void UsageHistory::move_into(std::vector<UsageSample>& room) {
  if (room.capacity() <= kept_.capacity()) return;
  room.assign(kept_.begin(), kept_.end());
  kept_.swap(room);
}

bool UsageHistory::repeats_two(const UsageSample& sample) const {
  return kept_.size() >= 2 && is_same_use(newest(0).usage, sample.usage) && is_same_use(newest(1).usage, sample.usage);
}

std::vector<UsageSample> UsageHistory::samples() const {
  std::vector<UsageSample> ordered = kept_;
  std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(oldest_), ordered.end());
  return ordered;
}

}  // namespace petri
