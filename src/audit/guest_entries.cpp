#include "audit/guest_entries.h"

#include <algorithm>
#include <utility>

namespace petri {
namespace {

constexpr Clock::Duration kPrice = Clock::Duration(std::chrono::seconds(1)) / GuestEntries::kPerSecond;
constexpr Clock::Duration kCredit = kPrice * GuestEntries::kBurst;

}  // namespace

bool GuestEntries::try_spend(Clock::TimePoint now) {
  const Clock::TimePoint paid_until = std::max(paid_until_, now) + kPrice;
  if (paid_until > now + kCredit) return false;
  paid_until_ = paid_until;
  return true;
}

bool GuestEntries::admit(const GuestDeed& deed, Clock::TimePoint now) {
  if (counted_.empty() && try_spend(now)) return true;
  CountedDeeds& deeds = counted(deed.subject);
  ++deeds.entries;
  deeds.count += deed.count;
  deeds.allowed = deed.allowed;
  deeds.seen = std::max(deeds.seen, deed.seen);
  return false;
}

CountedDeeds& GuestEntries::counted(const AuditSubject& subject) {
  Key key{subject.kind, subject.process, subject.cause};
  if (counted_.size() >= kNamesMax && !counted_.contains(key)) std::get<1>(key).clear();
  CountedDeeds& deeds = counted_[key];
  if (deeds.entries == 0) std::tie(deeds.kind, deeds.process, deeds.cause) = std::move(key);
  return deeds;
}

std::vector<CountedDeeds> GuestEntries::take(Clock::TimePoint now) {
  std::vector<CountedDeeds> taken;
  while (!counted_.empty() && try_spend(now)) {
    taken.push_back(std::move(counted_.begin()->second));
    counted_.erase(counted_.begin());
  }
  return taken;
}

std::vector<CountedDeeds> GuestEntries::take_all() {
  std::vector<CountedDeeds> taken;
  for (auto& [key, deeds] : std::exchange(counted_, {})) taken.push_back(std::move(deeds));
  return taken;
}

}  // namespace petri
