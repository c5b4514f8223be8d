#include "evaluation/spec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/complaints.h"
#include "base/text/utf8.h"
#include "evaluation/candidate/score.h"

namespace petri {
namespace {

constexpr std::size_t kShownMax = 5;
constexpr std::uint64_t kInputBytesMax = std::numeric_limits<std::int32_t>::max();

// "case 3, 4, 7 and 12 more"
std::string which(std::string_view noun, const std::vector<std::size_t>& numbers) {
  const std::vector<std::size_t> shown(
      numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(std::min(numbers.size(), kShownMax)));
  const std::string more = numbers.size() > kShownMax ? fmt::format(" and {} more", numbers.size() - kShownMax) : "";
  return fmt::format("{} {}{}", noun, fmt::join(shown, ", "), more);
}

template <typename Items, typename Predicate>
std::vector<std::size_t> places_of(const Items& items, Predicate is_wanted) {
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < items.size(); ++index) {
    if (is_wanted(items[index])) places.push_back(index);
  }
  return places;
}

std::vector<ValueType> types_of(const Case& one) {
  std::vector<ValueType> types;
  for (const Value& value : one.arguments) types.push_back(value.type());
  return types;
}

std::string types_text(const std::vector<ValueType>& types) {
  std::vector<std::string_view> names;
  for (const ValueType type : types) names.push_back(name_of(type));
  return fmt::format("({})", fmt::join(names, " "));
}

bool has_reference(const Case& one) {
  return std::ranges::any_of(one.arguments, [](const Value& value) { return value.type() > ValueType::f64; });
}

void check_cases(std::span<const Case> cases, Complaints& complaints) {
  if (cases.empty()) return complaints.add_clause("cases", "there is no case to call the candidates with");
  const std::vector<ValueType> first = types_of(cases.front());
  const auto differ = places_of(cases, [&first](const Case& one) { return types_of(one) != first; });
  if (!differ.empty()) {
    complaints.add_clause(
        "cases", fmt::format("all cases call the same function, but {} has arguments {} and case 0 {}",
                             which("case", differ), types_text(types_of(cases[differ.front()])), types_text(first)));
  }
  const auto references = places_of(cases, has_reference);
  if (!references.empty())
    complaints.add_clause("cases", which("case", references) + " has an argument that is no number");
  const auto large = places_of(cases, [](const Case& one) { return one.input.size() > kInputBytesMax; });
  if (!large.empty())
    complaints.add_clause("cases",
                          fmt::format("the input of {} has more than {} bytes", which("case", large), kInputBytesMax));
}

void check_targets(std::size_t cases, std::span<const double> targets, Complaints& complaints) {
  if (!targets.empty() && targets.size() != cases) {
    complaints.add_clause("targets", fmt::format("there are {} targets for {} cases", targets.size(), cases));
  }
  const auto unfit = places_of(targets, [](double target) { return !std::isfinite(target); });
  if (!unfit.empty()) complaints.add_clause("targets", which("target", unfit) + " is not a finite number");
}

constexpr std::size_t kMetricNameBytesMax = 100;

bool is_metric_name(const std::string& name) {
  return !name.empty() && name.size() <= kMetricNameBytesMax && is_utf8(name);
}

void check_metric_names(const EvaluationSpec& spec, Complaints& complaints) {
  if (spec.scorer != Scorer::metrics) {
    if (!spec.metrics.empty()) complaints.add_clause("metrics", "metrics are named, and the scorer is another one");
    return;
  }
  if (!spec.harness) complaints.add_clause("scorer", "the scorer metrics needs a harness that returns them");
  if (spec.metrics.empty() || spec.metrics.size() > kResultsMax)
    complaints.add_clause("metrics", fmt::format("the scorer metrics needs the names of 1 to {} of them", kResultsMax));
  if (!std::ranges::all_of(spec.metrics, is_metric_name)) {
    complaints.add_clause("metrics",
                          fmt::format("the name of a metric has 1 to {} bytes of UTF-8", kMetricNameBytesMax));
  }
  std::vector<std::string> names = spec.metrics;
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end())
    complaints.add_clause("metrics", "two metrics have the same name");
}

void check_scorer(std::span<const Case> cases, const EvaluationSpec& spec, Complaints& complaints) {
  check_metric_names(spec, complaints);
  if (spec.scorer > Scorer::metrics) return complaints.add_clause("scorer", "the scorer is none that there is");
  if (!(spec.tolerance >= 0) || !std::isfinite(spec.tolerance))
    complaints.add_clause("tolerance", "the tolerance is not a number from 0 on");
  const auto expecting = places_of(cases, [](const Case& one) { return one.expected.has_value(); });
  if (!expecting.empty() && !compares_answers(spec)) {
    complaints.add_clause("cases",
                          fmt::format("{} has an expected output, which the scorer {} does not compare; choose "
                                      "exact or tolerance",
                                      which("case", expecting), name_of(spec.scorer)));
  }
  if (expecting.empty() && compares_answers(spec) && spec.targets.empty()) {
    complaints.add_clause(
        "scorer", fmt::format("the scorer {} needs targets or expected outputs to compare with", name_of(spec.scorer)));
  }
}

}  // namespace

Limits limits_of(const EvaluationSpec& spec, std::chrono::nanoseconds case_time_max) {
  return {.execution_time_max = case_time_max,
          .memory_bytes_max = spec.memory_bytes_max,
          .fuel_max = spec.fuel_max,
          .module_bytes_max = spec.module_bytes_max,
          .output_bytes_max = spec.output_bytes_max,
          .call_depth_max = spec.call_depth_max};
}

Result<void> check_evaluation(std::span<const Case> cases, const EvaluationSpec& spec,
                              const EvaluationOptions& options) {
  Complaints complaints;
  if (spec.function.empty()) complaints.add_clause("function", "the function to call has no name");
  if (!is_utf8(spec.function)) complaints.add_clause("function", "the name of the function to call is not UTF-8");
  if (auto limits = validate(limits_of(spec, options.case_time_max)); !limits) {
    complaints.add_sentence("", limits.error().message);
  }
  check_cases(cases, complaints);
  check_targets(cases.size(), spec.targets, complaints);
  check_scorer(cases, spec, complaints);
  if (options.workers > kWorkersMax) {
    complaints.add_clause("workers",
                          fmt::format("{} workers are asked for and {} allowed", options.workers, kWorkersMax));
  }
  if (complaints.empty()) return {};
  Error error{.code = ErrorCode::validation_failed, .message = complaints.message(), .details = {}};
  return fail(std::move(error).with("component", "evaluation"));
}

}  // namespace petri
