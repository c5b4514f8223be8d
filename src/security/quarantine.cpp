#include "security/quarantine.h"

#include <algorithm>

namespace petri {

std::optional<Quarantine::Entry> Quarantine::limit_met(const ArtifactId& artifact, std::string_view cause,
                                                       Clock::TimePoint now, std::string_view sandbox) {
  if (options_.limits_max == 0) return std::nullopt;
  const Key key(artifact, sandbox);
  MutexLock lock(mutex_);
  if (records_.size() >= kArtifactsMax && !records_.contains(key)) make_room(now);
  Record& record = records_[key];
  record.last = now;
  // Instances that still live continue, and are ended by limits; the quarantine does not get longer by that.
  if (record.entry && now < record.entry->until) return std::nullopt;
  record.entry.reset();
  if (!record.failures.happened(now, options_.limits_max, options_.window)) return std::nullopt;
  any_.store(true);
  record.entry = Entry{.cause = std::string(cause), .until = now + options_.period};
  return record.entry;
}

std::optional<Quarantine::Entry> Quarantine::find(const ArtifactId& artifact, Clock::TimePoint now,
                                                  std::string_view sandbox) {
  if (!any_.load()) return std::nullopt;
  MutexLock lock(mutex_);
  auto everywhere = find_here({artifact, {}}, now);
  return everywhere || sandbox.empty() ? everywhere : find_here({artifact, std::string(sandbox)}, now);
}

std::optional<Quarantine::Entry> Quarantine::find_here(const Key& key, Clock::TimePoint now) {
  const auto found = records_.find(key);
  if (found == records_.end() || !found->second.entry) return std::nullopt;
  if (now < found->second.entry->until) return found->second.entry;
  records_.erase(found);
  return std::nullopt;
}

std::vector<Quarantine::Place> Quarantine::all(Clock::TimePoint now) {
  std::vector<Place> places;
  MutexLock lock(mutex_);
  for (const auto& [key, record] : records_) {
    if (record.entry && now < record.entry->until) places.push_back({key.first, key.second, *record.entry});
  }
  return places;
}

bool Quarantine::lift(const ArtifactId& artifact, Clock::TimePoint now) {
  MutexLock lock(mutex_);
  bool lifted = false;
  std::erase_if(records_, [&](const auto& one) {
    if (one.first.first != artifact) return false;
    lifted = lifted || (one.second.entry && now < one.second.entry->until);
    return true;
  });
  return lifted;
}

std::size_t Quarantine::size(Clock::TimePoint now) {
  MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      records_, [now](const auto& entry) { return entry.second.entry && now < entry.second.entry->until; }));
}

// All that time has made void, and if that is nothing, the one that matters least. A tenth goes at a time, so that a
// flood of artifacts does not pay for this each time.
void Quarantine::make_room(Clock::TimePoint now) {
  std::erase_if(records_, [&](const auto& entry) {
    const Record& record = entry.second;
    const bool served = !record.entry || now >= record.entry->until;
    return served && now - record.last > options_.window;
  });
  if (records_.size() < kArtifactsMax) return;
  std::vector<Records::iterator> all;
  for (auto next = records_.begin(); next != records_.end(); ++next) all.push_back(next);
  const auto matters_less = [](const auto& a, const auto& b) {
    return std::pair(a->second.entry.has_value(), a->second.last) <
           std::pair(b->second.entry.has_value(), b->second.last);
  };
  const auto tenth = all.begin() + static_cast<std::ptrdiff_t>(kArtifactsMax / 10);
  std::ranges::nth_element(all, tenth, matters_less);
  for (auto one = all.begin(); one != tenth; ++one) records_.erase(*one);
}

}  // namespace petri
