// The names of the public enumerators.
#include "base/name_table.h"
#include "petri/evaluate.h"
#include "petri/records.h"

namespace petri {
namespace {

constexpr NameTable<2> kInstances{"per_candidate", "per_case"};
constexpr NameTable<4> kScoredBy{"nobody", "targets", "host", "harness"};
constexpr NameTable<4> kScorers{"squared_error", "exact", "tolerance", "metrics"};
static_assert(static_cast<std::size_t>(Scorer::metrics) + 1 == kScorers.size());
constexpr NameTable<4> kVerdicts{"verified", "incomplete", "different", "stopped"};
static_assert(static_cast<std::size_t>(VerificationVerdict::stopped) + 1 == kVerdicts.size());
static_assert(static_cast<std::size_t>(Instances::per_case) + 1 == kInstances.size());
static_assert(static_cast<std::size_t>(ScoredBy::harness) + 1 == kScoredBy.size());
constexpr NameTable<2> kRecordsForms{"json_lines", "compact"};

}  // namespace

std::string_view name_of(Instances instances) { return name_in(kInstances, instances); }
std::string_view name_of(RecordsForm form) { return name_in(kRecordsForms, form); }
std::string_view name_of(Scorer scorer) { return name_in(kScorers, scorer); }
std::string_view name_of(ScoredBy by) { return name_in(kScoredBy, by); }
std::string_view name_of(VerificationVerdict verdict) { return name_in(kVerdicts, verdict); }

std::optional<Value> Record::value(std::size_t case_number, std::size_t result) const {
  if (case_number >= kinds.size() || result >= values_per_case()) return std::nullopt;
  if (kinds[case_number] != OutcomeKind::ok) return std::nullopt;
  return Value::from_bits(value_types[result], value_bits[case_number * values_per_case() + result]);
}

}  // namespace petri
