// The usage of a sandbox over time, as the sampler saw it.
#pragma once

#include <cstddef>
#include <vector>

#include "petri/events.h"

namespace petri {

// The newest samples, `samples_max` at most; older ones go. An idle stretch is kept as its first and its last sample,
// so that a sandbox that does nothing takes next to no memory. Not for several threads at once.
class UsageHistory {
 public:
  static constexpr std::size_t kSamplesDefault = 60;

  explicit UsageHistory(std::size_t samples_max = kSamplesDefault) : samples_max_(samples_max) {}

  void add(const UsageSample& sample);
  // An owner that guards this with a lock makes room without holding the lock, so that add() allocates nothing:
  // room_wanted() says for how many samples (0: there is room), move_into() continues in the larger room and leaves the
  // old one in its place.
  std::size_t room_wanted() const;
  void move_into(std::vector<UsageSample>& room);
  // Oldest first.
  std::vector<UsageSample> samples() const;
  // nullptr before the first.
  const UsageSample* latest() const { return kept_.empty() ? nullptr : &newest(0); }
  std::size_t size() const { return kept_.size(); }

 private:
  // Counted back from the newest.
  const UsageSample& newest(std::size_t back) const { return kept_[index(back)]; }
  std::size_t index(std::size_t back) const { return (oldest_ + kept_.size() - 1 - back) % kept_.size(); }
  bool repeats_two(const UsageSample& sample) const;

  std::size_t samples_max_;
  std::vector<UsageSample> kept_;  // a ring once it is full
  std::size_t oldest_ = 0;
};

// Adds the details that the event usage.sampled has.
void add_usage(Event& event, const Usage& usage);

}  // namespace petri
