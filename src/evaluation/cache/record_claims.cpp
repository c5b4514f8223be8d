#include "evaluation/cache/record_claims.h"

#include <algorithm>
#include <bit>

#include "base/text/byte_text.h"
#include "engine/sha256.h"
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
  return header.scored_by == ScoredBy::host ? record.score : score_of(record, header.cases, header.spec);
}

FieldDifference contradiction(std::string field, std::string found) {
  return {.field = std::move(field), .in_file = "what no evaluation writes", .found = std::move(found)};
}

// A case that neither is ok nor has exited is wrong, where answers are compared.
bool may_be_wrong(const Record& record, const EvaluationSpec& spec) {
  if (!compares_answers(spec) || record.error) return record.wrong.empty();
  std::size_t next = 0;
  for (std::size_t number = 0; number < record.kinds.size(); ++number) {
    const bool is_listed = next < record.wrong.size() && record.wrong[next] == number;
    const bool may_be_right = record.kinds[number] == OutcomeKind::ok || record.kinds[number] == OutcomeKind::exited;
    if (!is_listed && !may_be_right) return false;
    if (is_listed) ++next;
  }
  return next == record.wrong.size();
}

bool may_be_metrics(const Record& record, const RecordsHeader& header) {
  if (header.spec.scorer != Scorer::metrics || record.error) return record.metrics.empty();
  const std::vector<double> expected = metrics_of(record, header.cases.size());
  return std::ranges::equal(record.metrics, expected,
                            [](double a, double b) { return is_same(std::optional(a), std::optional(b)); });
}

Sha256 digest_of(const std::vector<KeptOutput>& outputs) {
  std::vector<Sha256> digests;
  for (const KeptOutput& output : outputs) digests.push_back(sha256(as_bytes(output.text)));
  return sha256({digests.front().bytes.data(), digests.size() * sizeof(Sha256)});
}

// Outputs that are kept whole have the hash that the record names.
bool may_be_kept(const Record& record, const EvaluationSpec& spec) {
  if (record.outputs.empty()) return spec.keep_output_bytes == 0 || record.error || !record.output;
  if (record.error || !record.output || record.outputs.size() != record.kinds.size()) return false;
  const auto fits = [&spec](const KeptOutput& output) {
    return output.text.size() <= spec.keep_output_bytes && output.text.size() <= output.bytes;
  };
  const auto is_whole = [](const KeptOutput& output) { return output.text.size() == output.bytes; };
  if (!std::ranges::all_of(record.outputs, fits)) return false;
  return !std::ranges::all_of(record.outputs, is_whole) || digest_of(record.outputs) == record.output;
}

}  // namespace

ScoredBy scored_by_of(std::span<const Case> cases, const EvaluationSpec& spec) {
  if (!has_scores(cases, spec)) return ScoredBy::nobody;
  return spec.scorer == Scorer::metrics ? ScoredBy::harness : ScoredBy::targets;
}

std::optional<FieldDifference> wrong_answers(const Record& record, const RecordsHeader& header) {
  if (!may_be_wrong(record, header.spec))
    return contradiction("wrong", "cases that were run and are not right, as they ended");
  if (!may_be_metrics(record, header)) return contradiction("metrics", "the sums of the values");
  if (!may_be_kept(record, header.spec)) return contradiction("outputs", "the outputs that \"output\" is the hash of");
  return std::nullopt;
}

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
  if (auto answers = wrong_answers(record, header)) return answers;
  const auto expected = own_score(record, header);
  if (is_same(record.score, expected)) return std::nullopt;
  return FieldDifference{.field = "score", .in_file = claim_text(record.score), .found = claim_text(expected)};
}

bool has_fitting_receipt(const Record& record, const RecordsHeader& header) {
  return can_have_receipt(record) && record.receipt == receipt_of(record, header.digest);
}

}  // namespace petri
