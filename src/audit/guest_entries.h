// How much of the audit trail the guests of one sandbox may fill, and what becomes of the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "audit/audit_fact.h"
#include "base/clock.h"

namespace petri {

// Something that a guest can do again and again, and that the trail has an entry for.
struct GuestDeed {
  AuditSubject subject;
  std::uint64_t count = 1;    // how often, in one piece of work
  std::uint64_t allowed = 0;  // by the limit, where it is about one
  std::uint64_t seen = 0;
};

// Deeds done after the entries had been used up: one entry stands for all of them.
struct CountedDeeds {
  AuditKind kind{};
  std::string process;  // empty: of several, or of a run
  std::string cause;
  std::uint64_t entries = 0;  // that were not made for it
  std::uint64_t count = 0;    // how often, in all
  std::uint64_t allowed = 0;  // the last
  std::uint64_t seen = 0;     // the largest
};

// A burst of kBurst entries, and kPerSecond a second. What comes when those are used up is counted by kind, process and
// cause; until that has been taken, all that follows is counted too, so the trail stays in order. At most kNamesMax
// counts have a process of their own, whose name a guest may choose; the others are counted by kind and cause, of which
// there are few. Not for several threads at once; time never goes back.
class GuestEntries {
 public:
  static constexpr std::uint64_t kBurst = 1'000;
  static constexpr std::uint64_t kPerSecond = 100;
  static constexpr std::size_t kNamesMax = 64;

  // True if an entry may be made; otherwise the deed is counted instead.
  bool admit(const GuestDeed& deed, Clock::TimePoint now);
  // Takes the counted deeds, as far as entries are left for them.
  std::vector<CountedDeeds> take(Clock::TimePoint now);
  // All of it: nothing follows, or not from the same guests.
  std::vector<CountedDeeds> take_all();
  bool empty() const { return counted_.empty(); }

 private:
  using Key = std::tuple<AuditKind, std::string, std::string>;
  bool try_spend(Clock::TimePoint now);
  CountedDeeds& counted(const AuditSubject& subject);

  Clock::TimePoint paid_until_{};  // an entry costs a part of a second, and so much may be paid in advance
  std::map<Key, CountedDeeds> counted_;
};

}  // namespace petri
