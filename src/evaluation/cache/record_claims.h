// Checks a record against itself: a forged one can be found without running anything.
#pragma once

#include <optional>

#include "evaluation/records/compare.h"
#include "petri/records.h"

namespace petri {

// The first field that cannot be as it stands beside the others. An end can be called not repeatable only where time
// ended a case or the machine failed, and then has no receipt; the outcome is that of the first case that is not ok; a
// record with an outcome has its candidate.
std::optional<FieldDifference> first_contradiction(const StoredRecord& stored);

// The source of the scores of an evaluation that has no scorer of the host's.
ScoredBy scored_by_of(std::span<const Case> cases, const EvaluationSpec& spec);

// Wrong cases, metrics or kept outputs that cannot be as they stand beside the record's other results.
std::optional<FieldDifference> wrong_answers(const Record& record, const RecordsHeader& header);

// These, or the score where it is not what the record's own results and the targets give.
std::optional<FieldDifference> wrong_score(const Record& record, const RecordsHeader& header);

// True if the receipt fits what the record says. Anybody can compute one: it does not prove the results.
bool has_fitting_receipt(const Record& record, const RecordsHeader& header);

}  // namespace petri
