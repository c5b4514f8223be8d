#include "telemetry/usage_history.h"

#include <algorithm>

namespace petri {
namespace {

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

bool UsageHistory::repeats_two(const UsageSample& sample) const {
  return kept_.size() >= 2 && is_same_use(newest(0).usage, sample.usage) && is_same_use(newest(1).usage, sample.usage);
}

std::vector<UsageSample> UsageHistory::samples() const {
  std::vector<UsageSample> ordered = kept_;
  std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(oldest_), ordered.end());
  return ordered;
}

}  // namespace petri
