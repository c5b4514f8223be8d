// A line in which whoever has had the least is next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace petri {

// A line in which each member has the rank of what it has used so far, so that those who use much go behind those who
// use little, however they come by it. Whoever comes back after a while is neither paid for all the time it did not
// use nor held to all it has used while nobody waited: it is ranked within kCredit before and behind those who are
// served. Of the time in which it did nothing it is forgiven a part, however many others there are: a short call now
// and then does not wait for a thousand who use all they get. The user has a lock of its own; add_used() needs none.
class FairLine {
 public:
  static constexpr std::uint64_t kCredit = 20'000'000;  // nanoseconds
  static constexpr std::uint64_t kPartForgiven = 20;    // one of so many

  // A member may stand in several lines of one floor at a time, with one rank.
  class Member {
   public:
    void add_used(std::uint64_t amount) { used_.fetch_add(amount, std::memory_order_relaxed); }
    // Adds time that was used until now, in nanoseconds of one clock.
    void add_used(std::uint64_t amount, std::uint64_t now) {
      add_used(amount);
      used_until_.store(now, std::memory_order_relaxed);
    }
    std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::uint64_t rank() const { return used_.load(std::memory_order_relaxed) + forgiven_; }
    // Ranks a member that was not in any line.
    void come_back(std::uint64_t floor, std::uint64_t now) {
      const std::uint64_t until = used_until_.load(std::memory_order_relaxed);
      const std::uint64_t before = rank(), earned = (now - std::min(now, until)) / kPartForgiven;
      const std::uint64_t last = floor + kCredit, wanted = before - std::min(before, earned);
      forgiven_ += std::clamp(wanted, first_rank(floor), last) - before;  // wraps around, as rank() does
      favoured_ = favoured_ && rank() + kCredit < floor;
    }
    // Ranks it before all that have used nothing for a while, until it has used what they are ahead.
    void favour(std::uint64_t floor) {
      favoured_ = true;
      const std::uint64_t first = first_rank(floor);
      if (rank() > first) forgiven_ += first - rank();
    }

   private:
    std::uint64_t first_rank(std::uint64_t floor) const {
      return floor - std::min(floor, favoured_ ? 2 * kCredit : kCredit);
    }

    std::atomic<std::uint64_t> used_{0}, used_until_{0};
    std::uint64_t forgiven_ = 0;
    bool favoured_ = false;
  };

  // Where a member stands in one line, if it does.
  class Place {
   public:
    bool stands() const { return stands_; }

   private:
    friend class FairLine;
    bool stands_ = false;
    std::uint64_t rank_ = 0;
    std::uint64_t number_ = 0;
  };

  bool empty() const { return line_.empty(); }
  std::size_t size() const { return line_.size(); }
  void add(Member& member, Place& place) {
    if (place.stands_) return;
    place = stand(member.rank());
    line_.insert({place.rank_, place.number_, &member, &place});
  }
  void remove(Member& member, Place& place) {
    if (place.stands_) line_.erase({place.rank_, place.number_, &member, &place});
    place.stands_ = false;
  }
  // The member that has used the least of those that stand here; nullptr: nobody does. Ranks only grow but by favour(),
  // after which the member is removed and added.
  Member* first() {
    while (!line_.empty()) {
      const Entry entry = *line_.begin();
      const std::uint64_t rank = entry.member->rank();
      if (rank <= entry.rank) return entry.member;
      line_.erase(line_.begin());
      *entry.place = stand(rank);
      line_.insert({rank, entry.place->number_, entry.member, entry.place});
    }
    return nullptr;
  }

 private:
  // Equal ranks are served in the order in which they came.
  struct Entry {
    std::uint64_t rank, number;
    Member* member;
    Place* place;
    bool operator<(const Entry& other) const { return std::pair(rank, number) < std::pair(other.rank, other.number); }
  };
  Place stand(std::uint64_t rank) {
    Place place;
    place.stands_ = true;
    place.rank_ = rank;
    place.number_ = ++last_;
    return place;
  }

  std::set<Entry> line_;
  std::uint64_t last_ = 0;
};

}  // namespace petri
