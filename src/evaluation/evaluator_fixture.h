// For tests of the evaluator: the record of a single candidate.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/candidate_set_fixture.h"
#include "petri/evaluate.h"

namespace petri {

inline std::vector<double> values_of(const Record& record) {
  std::vector<double> values;
  for (std::size_t index = 0; index < record.kinds.size(); ++index)
    values.push_back(record.value(index).value_or(Value(-1.0)).f64());
  return values;
}

inline Record only_record(std::string text, std::span<const Case> cases, const EvaluationSpec& spec = small_spec(),
                          const EvaluationOptions& options = {}) {
  Evaluator evaluator;
  Evaluation evaluation = evaluate(evaluator, CandidateSet{std::move(text)}, cases, spec, options);
  return evaluation.records.empty() ? Record{} : evaluation.records.front();
}

}  // namespace petri
