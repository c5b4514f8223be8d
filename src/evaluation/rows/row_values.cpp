#include "evaluation/spec_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation/candidate/score.h"

namespace petri {

namespace {

std::uint64_t kept_bytes_max(const EvaluationSpec& spec, std::size_t cases) {
  const std::uint64_t each = std::min(spec.keep_output_bytes, spec.output_bytes_max);
  if (each == 0) return 0;
  return cases * sizeof(KeptOutput) + std::min({each * cases, spec.memory_bytes_max, kKeptOutputsBytesMax});
}

}  // namespace

Result<void> check_row_values(const EvaluationSpec& spec, std::size_t cases, std::size_t results) {
  const std::uint64_t bytes = value_bytes(cases, results);
  if (results <= 1 || bytes <= spec.memory_bytes_max) return {};
  return fail(ErrorCode::too_large,
              fmt::format("the {} values of {} cases take {} bytes and memory_bytes_max allows {}", results, cases,
                          bytes, spec.memory_bytes_max));
}

std::uint64_t row_bytes_max(const EvaluationSpec& spec, std::size_t cases) {
  const std::uint64_t several = std::min(value_bytes(cases, kResultsMax), spec.memory_bytes_max);
  const std::uint64_t wrong = compares_answers(spec) ? cases * sizeof(std::uint64_t) : 0;
  return std::max(value_bytes(cases, 1), several) + cases * sizeof(OutcomeKind) + sizeof(Record) + wrong +
         kept_bytes_max(spec, cases);
}

}  // namespace petri
