#include "evaluation/cache/record_claims.h"

#include <algorithm>
#include <bit>

#include "evaluation/candidate/candidate_evaluator.h"
#include "evaluation/candidate/receipt.h"
#include "evaluation/candidate/score.h"

namespace petri {
namespace {

bool can_be_repeated(const Record& record) {
  if (record.error) return is_about_candidate(*record.error);
  return std::ranges::find(record.kinds, OutcomeKind::deadline) == record.kinds.end();
}

std::string_view claim_text(bool flag) { return flag ? "true" : "false"; }

std::string claim_text(const std::optional<double>& score) { return score ? to_text(Value(*score)) : "nothing"; }

bool is_same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
}

// The case that the outcome is of: the first that is not ok, else none.
std::optional<std::size_t> failed_case(const Record& record) {
  const auto failed = std::ranges::find_if(record.kinds, [](OutcomeKind kind) { return kind != OutcomeKind::ok; });
  if (failed == record.kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(failed - record.kinds.begin());
}

std::optional<FieldDifference> wrong_outcome(const Record& record) {
  if (!record.outcome) return std::nullopt;
  const auto failed = failed_case(record);
  const OutcomeKind expected = failed ? record.kinds[*failed] : OutcomeKind::ok;
  if (*record.outcome == expected) return std::nullopt;
  return FieldDifference{
      .field = "outcome", .in_file = std::string(name_of(*record.outcome)), .found = std::string(name_of(expected))};
}

// As an evaluation scores it. A function of the host may give any record with an outcome any score.
std::optional<double> own_score(const Record& record, const RecordsHeader& header) {
  if (record.error || header.scored_by == ScoredBy::nobody) return std::nullopt;
  return header.scored_by == ScoredBy::host ? record.score : squared_error(record, header.spec.targets);
}

}  // namespace

std::optional<FieldDifference> first_contradiction(const StoredRecord& stored) {
  const Record& record = stored.record;
  if (auto outcome = wrong_outcome(record)) return outcome;
  if (record.repeatable != can_be_repeated(record)) {
    return FieldDifference{.field = "repeatable",
                           .in_file = std::string(claim_text(record.repeatable)),
                           .found = std::string(claim_text(can_be_repeated(record)))};
  }
  if (!record.repeatable && record.receipt)
    return FieldDifference{.field = "receipt", .in_file = record.receipt->hex(), .found = "nothing"};
  if (record.outcome && !stored.wasm && !stored.wat)
    return FieldDifference{.field = "wasm", .in_file = "nothing", .found = "a candidate, as there is an outcome"};
  return std::nullopt;
}

std::optional<FieldDifference> wrong_score(const Record& record, const RecordsHeader& header) {
  const auto expected = own_score(record, header);
  if (is_same(record.score, expected)) return std::nullopt;
  return FieldDifference{.field = "score", .in_file = claim_text(record.score), .found = claim_text(expected)};
}

bool has_fitting_receipt(const Record& record, const RecordsHeader& header) {
  return can_have_receipt(record) && record.receipt == receipt_of(record, header.digest);
}

}  // namespace petri
