#include "evaluation/candidate/score.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace petri {
namespace {

double to_double(Value value) {
  switch (value.type()) {
    case ValueType::i32: return value.i32();
    case ValueType::i64: return static_cast<double>(value.i64());
    case ValueType::f32: return value.f32();
    case ValueType::f64: return value.f64();
    case ValueType::funcref:
    case ValueType::externref: break;  // never a result of a function that is called
  }
  PETRI_UNREACHABLE();
}

bool has_a_value_for_each(const Record& record, std::size_t cases) {
  const auto is_ok = [](OutcomeKind kind) { return kind == OutcomeKind::ok; };
  return record.kinds.size() == cases && !record.value_types.empty() && std::ranges::all_of(record.kinds, is_ok);
}

// NaN is near nothing, and an infinity near itself.
bool is_near(double found, double right, double tolerance) {
  return found == right || std::abs(found - right) <= tolerance * std::max(1.0, std::abs(right));
}

bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Takes the next word from the front; empty at the end.
std::string_view take_word(std::string_view& text) {
  const auto* const begin = std::ranges::find_if_not(text, is_space);
  const auto* const end = std::find_if(begin, text.end(), is_space);
  text = {end, text.end()};
  return {begin, end};
}

// A word that is a number as a whole.
std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

bool is_same_word(std::string_view written, std::string_view expected, double tolerance) {
  if (written == expected) return true;
  const auto right = number_of(expected);
  const auto found = right ? number_of(written) : std::nullopt;
  return found && is_near(*found, *right, tolerance);
}

bool is_target(const std::optional<Value>& value, double target, const EvaluationSpec& spec) {
  if (!value) return false;
  const double found = to_double(*value);
  return spec.scorer == Scorer::exact ? found == target : is_near(found, target, spec.tolerance);
}

}  // namespace

bool has_scores(std::span<const Case> cases, const EvaluationSpec& spec) {
  if (spec.scorer == Scorer::metrics || !spec.targets.empty()) return true;
  return compares_answers(spec) && std::ranges::any_of(cases, [](const Case& one) { return one.expected.has_value(); });
}

bool words_match(std::string_view written, std::string_view expected, double tolerance) {
  for (;;) {
    const std::string_view right = take_word(expected);
    if (!is_same_word(take_word(written), right, tolerance)) return false;
    if (right.empty()) return true;
  }
}

bool is_right(const CaseAnswer& answer, const Case& one, std::optional<double> target, const EvaluationSpec& spec) {
  if (!answer.ended_well || (target && !is_target(answer.value, *target, spec))) return false;
  if (!one.expected) return true;
  return spec.scorer == Scorer::exact ? answer.output == *one.expected
                                      : words_match(answer.output, *one.expected, spec.tolerance);
}

std::vector<double> metrics_of(const Record& record, std::size_t cases) {
  const std::size_t each = record.values_per_case();
  const bool whole = has_a_value_for_each(record, cases);
  std::vector<double> sums(each, whole ? 0 : std::numeric_limits<double>::quiet_NaN());
  for (std::size_t index = 0; whole && index < record.value_bits.size(); ++index) {
    sums[index % each] += to_double(Value::from_bits(record.value_types[index % each], record.value_bits[index]));
  }
  for (double& sum : sums) sum = with_one_nan(sum);
  return sums;
}

std::optional<double> score_of(const Record& record, std::span<const Case> cases, const EvaluationSpec& spec) {
  if (!has_scores(cases, spec)) return std::nullopt;
  switch (spec.scorer) {
    case Scorer::squared_error: return squared_error(record, spec.targets);
    case Scorer::exact:
    case Scorer::tolerance: return static_cast<double>(cases.size() - record.kinds.size() + record.wrong.size());
    case Scorer::metrics: break;
  }
  const std::vector<double> metrics = metrics_of(record, cases.size());
  return metrics.empty() ? std::numeric_limits<double>::quiet_NaN() : metrics.front();
}

double with_one_nan(double number) { return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number; }

double squared_error(const Record& record, std::span<const double> targets) {
  if (!has_a_value_for_each(record, targets.size())) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t index = 0; index < targets.size(); ++index) {
    const std::uint64_t bits = record.value_bits[index * record.values_per_case()];
    const double difference = to_double(Value::from_bits(record.value_types.front(), bits)) - targets[index];
    sum += difference * difference;
  }
  return with_one_nan(sum);
}

}  // namespace petri
