#include "audit/audit_memory.h"

#include <algorithm>
#include <utility>

namespace petri {
namespace {

std::uint64_t cause_hash(std::string_view cause) { return std::hash<std::string_view>()(cause); }

}  // namespace

void AuditMemory::add(std::string_view line, WallTime time, const AuditSubject& subject, const Sha256& hash,
                      std::uint64_t in_file) {
  Trails::value_type& trail = trail_of(subject.sandbox);
  const std::uint64_t number = last_.number + 1;
  try {
    const auto added = kept_.emplace_hint(kept_.end(), number,
                                          Kept{.line = std::string(line),
                                               .before = last_.hash,
                                               .time = time,
                                               .trail = &trail,
                                               .next = 0,
                                               .cause = cause_hash(subject.cause),
                                               .kind = subject.kind});
    count(trail, added->second);
  } catch (...) {
    kept_.erase(number);
    if (trail.second.last == 0) forget(trail);
    throw;
  }
  last_ = {.number = number, .hash = hash};
  const std::uint64_t before = std::exchange(trail.second.last, number);
  (before == 0 ? trail.second.first : at(before).next) = number;
  while (kept_.size() > bounds_.entries_max || bytes_ > bounds_.bytes_max) drop(to_go(in_file));
}

bool AuditMemory::is_large(const Trail& trail) const {
  return trail.entries > std::max(bounds_.entries_max / kShares, kShareEntriesMin) ||
         (trail.bytes > bounds_.bytes_max / kShares && trail.entries > kShareEntriesMin);
}

// All of it, or nothing where the list of large ones has no room.
void AuditMemory::count(Trails::value_type& trail, const Kept& added) {
  Trail after = trail.second;
  ++after.entries;
  after.bytes += bytes_of(added);
  if (is_large(after)) large_.insert(&trail);
  trail.second = after;
  bytes_ += bytes_of(added);
}

// A new one is empty: its last entry is 0.
AuditMemory::Trails::value_type& AuditMemory::trail_of(std::string_view sandbox) {
  if (const auto found = trails_.find(sandbox); found != trails_.end()) return *found;
  Trails::value_type& trail = *trails_.emplace(sandbox, Trail{}).first;
  bytes_ += bytes_of(trail);
  return trail;
}

void AuditMemory::forget(Trails::value_type& trail) {
  bytes_ -= bytes_of(trail);
  trails_.erase(trails_.find(trail.first));
}

// The number of the entry to drop next: of the sandbox that has the most, if it has more than its share, else the
// oldest.
std::uint64_t AuditMemory::to_go(std::uint64_t in_file) const {
  const auto most = std::ranges::max_element(large_, {}, [](const auto* trail) { return trail->second.bytes; });
  if (most == large_.end() || (*most)->second.first > in_file) return first();
  return (*most)->second.first;
}

// The oldest of its sandbox.
void AuditMemory::drop(std::uint64_t number) {
  const auto found = kept_.find(number);
  Trails::value_type& trail = *found->second.trail;
  const std::size_t bytes = bytes_of(found->second);
  bytes_ -= bytes;
  trail.second.bytes -= bytes;
  --trail.second.entries;
  trail.second.first = found->second.next;
  kept_.erase(found);
  ++dropped_;
  if (!is_large(trail.second)) large_.erase(&trail);
  if (trail.second.first == 0) forget(trail);
}

AuditMemory::Piece AuditMemory::piece_after(std::uint64_t number, std::size_t lines_max) const {
  Piece piece;
  auto next = kept_.upper_bound(number);
  if (next == kept_.end()) return piece;
  piece.before = {.number = next->first - 1, .hash = next->second.before};
  for (std::uint64_t follows = next->first; next != kept_.end() && next->first == follows++; ++next) {
    if (piece.lines.size() == lines_max) break;
    piece.lines.push_back(next->second.line);
  }
  return piece;
}

// A query with its names looked up.
struct AuditMemory::Wanted {
  const AuditQuery& query;
  const Trails::value_type* trail;  // nullptr: of all sandboxes, or of one that has no entry
  std::uint64_t cause;
};

AuditMemory::Wanted AuditMemory::wanted_by(const AuditQuery& query) const {
  const auto trail = trails_.find(query.sandbox);
  const bool one = !query.sandbox.empty() && trail != trails_.end();
  return {.query = query, .trail = one ? &*trail : nullptr, .cause = cause_hash(query.cause)};
}

bool AuditMemory::answers(const Kept& kept, const Wanted& wanted) const {
  const AuditQuery& query = wanted.query;
  return (wanted.trail == nullptr || kept.trail == wanted.trail) && (!query.kind || kept.kind == *query.kind) &&
         (query.cause.empty() || kept.cause == wanted.cause) && (!query.from || kept.time >= *query.from) &&
         (!query.until || kept.time < *query.until);
}

// The first entry to look at, or 0.
std::uint64_t AuditMemory::begin_of(const Wanted& wanted) const {
  const std::uint64_t after = wanted.query.after;
  if (after >= last() || (wanted.trail == nullptr && !wanted.query.sandbox.empty())) return 0;
  if (kept_.contains(after)) return step_from(after, wanted);
  if (after >= first()) return next_after(after);
  return wanted.trail == nullptr ? first() : wanted.trail->second.first;
}

// Along the sandbox's own entries once one of them is found.
std::uint64_t AuditMemory::step_from(std::uint64_t number, const Wanted& wanted) const {
  if (at(number).trail == wanted.trail) return at(number).next;
  return next_after(number);
}

// 0: there is none.
std::uint64_t AuditMemory::next_after(std::uint64_t number) const {
  const auto next = kept_.upper_bound(number);
  return next == kept_.end() ? 0 : next->first;
}

AuditMemory::Found AuditMemory::find(const AuditQuery& query, std::size_t looks_max) const {
  const Wanted wanted = wanted_by(query);
  Found found{.lines = {}, .looked_to = query.after, .done = false};
  std::uint64_t number = begin_of(wanted);
  for (; number != 0 && looks_max > 0 && found.lines.size() < query.entries_max; --looks_max) {
    if (answers(at(number), wanted)) found.lines.push_back(at(number).line);
    found.looked_to = number;
    number = step_from(number, wanted);
  }
  found.done = number == 0;
  return found;
}

}  // namespace petri
