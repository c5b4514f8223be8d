// The entries that memory keeps: the newest, as the lines they are in the file, with an index.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/audit_fact.h"
#include "audit/chain.h"
#include "petri/audit.h"

namespace petri {

struct MemoryBounds {
  std::size_t entries_max;
  std::size_t bytes_max;
};

// When it is full the oldest entry goes, but no sandbox pushes out the entries of others: one that has more than a
// sixteenth of the room gives up its own oldest. Not for several threads at once.
class AuditMemory {
 public:
  static constexpr std::size_t kShares = 16;
  static constexpr std::size_t kShareEntriesMin = 64;

  // The first entry follows `begin`.
  AuditMemory(MemoryBounds bounds, ChainEnd begin) : bounds_(bounds), last_(begin) {}

  // The entry after the last one; others go until it fits. Those behind `in_file` go only as the oldest of all: the
  // file still wants them, without a gap. Either all of it happens or, when there is no memory (std::bad_alloc),
  // nothing.
  void add(std::string_view line, WallTime time, const AuditSubject& subject, const Sha256& hash,
           std::uint64_t in_file = std::numeric_limits<std::uint64_t>::max());

  // The number of the oldest kept.
  std::uint64_t first() const { return kept_.empty() ? last_.number + 1 : kept_.begin()->first; }
  std::uint64_t last() const { return last_.number; }
  std::size_t size() const { return kept_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t dropped() const { return dropped_; }
  // The line of an entry that is kept, without its end. Valid until the next add().
  std::string_view line(std::uint64_t number) const { return at(number).line; }

  // Entries that follow one another, and where the chain was before them.
  struct Piece {
    ChainEnd before;
    std::vector<std::string> lines;
  };
  // The first after this number, at most this many; no line: there is none.
  Piece piece_after(std::uint64_t number, std::size_t lines_max) const;

  struct Found {
    std::vector<std::string> lines;
    std::uint64_t looked_to = 0;  // the last number that was looked at
    bool done = false;            // nothing is left to look at
  };
  // The entries after `after` that answer the query, at most as many lines as it asks for; looks at no more than
  // `looks_max` entries.
  Found find(const AuditQuery& query, std::size_t looks_max) const;

 private:
  // The entries of one sandbox, as a list through the kept ones.
  struct Trail {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::size_t entries = 0;
    std::size_t bytes = 0;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using Trails = std::unordered_map<std::string, Trail, NameHash, std::equal_to<>>;
  struct Kept {
    std::string line;
    Sha256 before;  // of the entry before it
    WallTime time;
    Trails::value_type* trail;
    std::uint64_t next;   // of the same sandbox; 0: none yet
    std::uint64_t cause;  // a hash of it
    AuditKind kind;
  };

  // With its place in the map.
  static std::size_t bytes_of(const Kept& kept) { return sizeof(Kept) + kept.line.capacity() + 48; }
  static std::size_t bytes_of(const Trails::value_type& trail) { return sizeof(trail) + trail.first.capacity() + 16; }
  const Kept& at(std::uint64_t number) const { return kept_.find(number)->second; }
  Kept& at(std::uint64_t number) { return kept_.find(number)->second; }
  std::uint64_t next_after(std::uint64_t number) const;
  Trails::value_type& trail_of(std::string_view sandbox);
  void count(Trails::value_type& trail, const Kept& added);
  bool is_large(const Trail& trail) const;
  void forget(Trails::value_type& trail);
  std::uint64_t to_go(std::uint64_t in_file) const;
  void drop(std::uint64_t number);
  struct Wanted;
  Wanted wanted_by(const AuditQuery& query) const;
  bool answers(const Kept& kept, const Wanted& wanted) const;
  std::uint64_t begin_of(const Wanted& wanted) const;
  std::uint64_t step_from(std::uint64_t number, const Wanted& wanted) const;

  const MemoryBounds bounds_;
  ChainEnd last_;
  std::map<std::uint64_t, Kept> kept_;
  Trails trails_;
  std::set<Trails::value_type*> large_;  // those with more than a share: few
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace petri
