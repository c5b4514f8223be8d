#include "evaluation/spec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/utf8.h"

namespace petri {
namespace {

using Problems = std::vector<std::string>;

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

void check_cases(std::span<const Case> cases, Problems& problems) {
  if (cases.empty()) return problems.emplace_back("there is no case to call the candidates with"), void();
  const std::vector<ValueType> first = types_of(cases.front());
  const auto differ = places_of(cases, [&first](const Case& one) { return types_of(one) != first; });
  if (!differ.empty()) {
    problems.push_back(fmt::format("all cases call the same function, but {} has arguments {} and case 0 {}",
                                   which("case", differ), types_text(types_of(cases[differ.front()])),
                                   types_text(first)));
  }
  const auto references = places_of(cases, has_reference);
  if (!references.empty()) problems.push_back(which("case", references) + " has an argument that is no number");
  const auto large = places_of(cases, [](const Case& one) { return one.input.size() > kInputBytesMax; });
  if (!large.empty())
    problems.push_back(fmt::format("the input of {} has more than {} bytes", which("case", large), kInputBytesMax));
}

void check_targets(std::size_t cases, std::span<const double> targets, Problems& problems) {
  if (!targets.empty() && targets.size() != cases) {
    problems.push_back(fmt::format("there are {} targets for {} cases", targets.size(), cases));
  }
  const auto unfit = places_of(targets, [](double target) { return !std::isfinite(target); });
  if (!unfit.empty()) problems.push_back(which("target", unfit) + " is not a finite number");
}

// The limits' own sentences end in full stops; here they are parts of one.
std::string without_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

Limits limits_of(const EvaluationSpec& spec, std::chrono::nanoseconds case_time_max) {
  return {.memory_bytes_max = spec.memory_bytes_max,
          .fuel_max = spec.fuel_max,
          .execution_time_max = case_time_max,
          .module_bytes_max = spec.module_bytes_max,
          .output_bytes_max = spec.output_bytes_max,
          .call_depth_max = spec.call_depth_max};
}

Result<void> check_evaluation(std::span<const Case> cases, const EvaluationSpec& spec,
                              const EvaluationOptions& options) {
  Problems problems;
  if (spec.function.empty()) problems.emplace_back("the function to call has no name");
  if (!is_utf8(spec.function)) problems.emplace_back("the name of the function to call is not UTF-8");
  if (auto limits = validate(limits_of(spec, options.case_time_max)); !limits) {
    problems.push_back(without_stop(limits.error().message));
  }
  check_cases(cases, problems);
  check_targets(cases.size(), spec.targets, problems);
  if (options.workers > kWorkersMax) {
    problems.push_back(fmt::format("{} workers are asked for and {} allowed", options.workers, kWorkersMax));
  }
  if (problems.empty()) return {};
  Error error{
      .code = ErrorCode::validation_failed, .message = fmt::format("{}", fmt::join(problems, "; ")), .details = {}};
  return fail(std::move(error).with("component", "evaluation"));
}

}  // namespace petri
