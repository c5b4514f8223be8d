#include "report/charts/outcome_counts.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"

namespace petri {

EndGroup group_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::ok: return EndGroup::ok;
    case OutcomeKind::trapped:
    case OutcomeKind::exited: return EndGroup::guest;
    case OutcomeKind::out_of_fuel:
    case OutcomeKind::deadline:
    case OutcomeKind::memory_limit:
    case OutcomeKind::stack_overflow:
    case OutcomeKind::cpu_limit:
    case OutcomeKind::output_limit:
    case OutcomeKind::cancelled: return EndGroup::limit;
  }
  PETRI_UNREACHABLE();
}

EndCount& OutcomeCounts::end_of(const Record& record) {
  if (record.error) {
    EndCount& end = errors_[*record.error];
    if (end.count == 0) end = {.name = name_of(*record.error), .group = EndGroup::error, .message = record.message};
    return end;
  }
  const OutcomeKind kind = record.outcome.value_or(OutcomeKind::ok);
  EndCount& end = outcomes_[kind];
  if (end.count == 0) end = {.name = name_of(kind), .group = group_of(kind)};
  return end;
}

void OutcomeCounts::add(const Record& record) {
  EndCount& end = end_of(record);
  ++end.count;
  ++total_;
  if (record.trap) ++end.parts[name_of(*record.trap)];
}

std::size_t OutcomeCounts::ok() const {
  const auto found = outcomes_.find(OutcomeKind::ok);
  return found == outcomes_.end() ? 0 : found->second.count;
}

std::vector<EndCount> OutcomeCounts::ends() const {
  std::vector<EndCount> ends;
  for (const auto& [kind, end] : outcomes_) ends.push_back(end);
  for (const auto& [code, end] : errors_) ends.push_back(end);
  const auto rank = [](const EndCount& end) { return std::tuple(end.group != EndGroup::ok, ~end.count, end.name); };
  std::sort(ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return ends;
}

}  // namespace petri
