#include "audit/audit_memory.h"

#include <utility>

namespace petri {
namespace {

std::uint64_t cause_hash(std::string_view cause) { return std::hash<std::string_view>()(cause); }

}  // namespace

void AuditMemory::add(std::string_view line, AuditTime time, const AuditSubject& subject, const AuditHash& hash) {
  Trails::value_type& trail = trail_of(subject.sandbox);
  try {
    kept_.push_back({.line = std::string(line),
                     .hash = hash,
                     .time = time,
                     .trail = &trail,
                     .next = 0,
                     .cause = cause_hash(subject.cause),
                     .kind = subject.kind});
  } catch (...) {
    if (trail.second.last == 0) forget(trail);
    throw;
  }
  bytes_ += bytes_of(kept_.back());
  const std::uint64_t number = last();
  const std::uint64_t before = std::exchange(trail.second.last, number);
  (before == 0 ? trail.second.first : at(before).next) = number;
  while (kept_.size() > bounds_.entries_max || bytes_ > bounds_.bytes_max) drop_oldest();
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

void AuditMemory::drop_oldest() {
  const Kept& oldest = kept_.front();
  Trails::value_type& trail = *oldest.trail;
  bytes_ -= bytes_of(oldest);
  before_ = {.number = first(), .hash = oldest.hash};
  trail.second.first = oldest.next;
  kept_.pop_front();
  ++dropped_;
  if (trail.second.first == 0) forget(trail);
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
  if (after >= first()) return step_from(after, wanted);
  return wanted.trail == nullptr ? first() : wanted.trail->second.first;
}

// Along the sandbox's own entries once one of them is found.
std::uint64_t AuditMemory::step_from(std::uint64_t number, const Wanted& wanted) const {
  if (at(number).trail == wanted.trail) return at(number).next;
  return number < last() ? number + 1 : 0;
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
