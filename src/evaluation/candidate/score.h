// The built-in scorers.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "petri/evaluate.h"

namespace petri {

// True if the scorer looks at each case's answer: it is right or wrong, as soon as the case has ended.
inline bool compares_answers(const EvaluationSpec& spec) {
  return spec.scorer == Scorer::exact || spec.scorer == Scorer::tolerance;
}

// True if there is anything to score with.
bool has_scores(std::span<const Case> cases, const EvaluationSpec& spec);

// The answer of one case.
struct CaseAnswer {
  bool ended_well = false;  // it is ok, or has exited with code 0
  std::optional<Value> value;
  std::string_view output;
};

// True if the case of this number is right, for a spec that compares answers.
bool is_right(const CaseAnswer& answer, const Case& one, std::optional<double> target, const EvaluationSpec& spec);

// The text that is right, compared word by word: numbers may be as far apart as the tolerance says.
bool words_match(std::string_view written, std::string_view expected, double tolerance);

// The sums over all cases, one for each result. NaN when a case is not ok or was not run, and where one of them is NaN.
std::vector<double> metrics_of(const Record& record, std::size_t cases);

// The score of a record that has an outcome; nullopt when nothing is scored. NaN is always the same one.
std::optional<double> score_of(const Record& record, std::span<const Case> cases, const EvaluationSpec& spec);

// The sum of squared differences between the first value of each case and its target. NaN, and always the same one,
// when a case is not ok or was not run, when there is no value, or when one of them is NaN.
double squared_error(const Record& record, std::span<const double> targets);

// Replaces any NaN by the one that every machine and compiler agrees on.
double with_one_nan(double number);

}  // namespace petri
