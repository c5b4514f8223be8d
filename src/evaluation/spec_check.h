// What can be wrong with an evaluation before any candidate is looked at.
#pragma once

#include <span>

#include "petri/evaluate.h"
#include "petri/limits.h"

namespace petri {

constexpr unsigned kWorkersMax = 1'024;

// Everything wrong, in one validation_failed: limits out of range, cases that contradict each other, targets that fit
// no case or are no numbers.
Result<void> check_evaluation(std::span<const Case> cases, const EvaluationSpec& spec,
                              const EvaluationOptions& options);

// The limits of one case.
Limits limits_of(const EvaluationSpec& spec, std::chrono::nanoseconds case_time_max);

}  // namespace petri
