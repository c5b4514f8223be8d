// The entries that memory keeps: the newest, as the lines they are in the file, with an index.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
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

// Not for several threads at once.
class AuditMemory {
 public:
  // What comes first follows `begin`.
  AuditMemory(MemoryBounds bounds, ChainEnd begin) : bounds_(bounds), before_(begin) {}

  // The entry after the last one; the oldest go until it fits. Either all of it happens or, when there is no memory
  // (std::bad_alloc), nothing.
  void add(std::string_view line, AuditTime time, const AuditSubject& subject, const AuditHash& hash);

  std::uint64_t first() const { return before_.number + 1; }  // the number of the oldest kept
  std::uint64_t last() const { return before_.number + kept_.size(); }
  const ChainEnd& before() const { return before_; }  // where the chain was before the oldest kept
  std::size_t size() const { return kept_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t dropped() const { return dropped_; }
  // The line of an entry that is kept, without its end. Valid until the next add().
  std::string_view line(std::uint64_t number) const { return at(number).line; }

  // Where the chain is after an entry that is kept.
  ChainEnd end_at(std::uint64_t number) const { return {.number = number, .hash = at(number).hash}; }

  struct Found {
    std::vector<std::string> lines;
    std::uint64_t looked_to = 0;  // the last number that was looked at
    bool done = false;            // nothing is left to look at
  };
  // What answers the query after its `after`; looks at no more than `looks_max` entries. As many lines as the query
  // asks for, at most.
  Found find(const AuditQuery& query, std::size_t looks_max) const;

 private:
  // The entries of one sandbox, as a list through the kept ones.
  struct Trail {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using Trails = std::unordered_map<std::string, Trail, NameHash, std::equal_to<>>;
  struct Kept {
    std::string line;
    AuditHash hash;
    AuditTime time;
    Trails::value_type* trail;
    std::uint64_t next;   // of the same sandbox; 0: none yet
    std::uint64_t cause;  // a hash of it
    AuditKind kind;
  };

  static std::size_t bytes_of(const Kept& kept) { return sizeof(Kept) + kept.line.capacity(); }
  static std::size_t bytes_of(const Trails::value_type& trail) { return sizeof(trail) + trail.first.capacity() + 16; }
  const Kept& at(std::uint64_t number) const { return kept_[number - first()]; }
  Kept& at(std::uint64_t number) { return kept_[number - first()]; }
  Trails::value_type& trail_of(std::string_view sandbox);
  void forget(Trails::value_type& trail);
  void drop_oldest();
  struct Wanted;
  Wanted wanted_by(const AuditQuery& query) const;
  bool answers(const Kept& kept, const Wanted& wanted) const;
  std::uint64_t begin_of(const Wanted& wanted) const;
  std::uint64_t step_from(std::uint64_t number, const Wanted& wanted) const;

  const MemoryBounds bounds_;
  ChainEnd before_;
  std::deque<Kept> kept_;
  Trails trails_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace petri
