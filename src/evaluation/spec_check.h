// Checks of an evaluation that are made before any candidate is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "host/link.h"
#include "petri/evaluate.h"
#include "petri/limits.h"
#include "petri/result.h"
#include "run/run_spec_check.h"

namespace petri {

constexpr unsigned kWorkersMax = 1'024;

// Everything wrong, in one validation_failed: limits out of range, cases that contradict each other, targets that fit
// no case or are no numbers.
Result<void> check_evaluation(std::span<const Case> cases, const EvaluationSpec& spec,
                              const EvaluationOptions& options);

// The limits of one case.
Limits limits_of(const EvaluationSpec& spec, std::chrono::nanoseconds case_time_max);

// The import module whose functions are the candidate's.
inline constexpr std::string_view kCandidateModule = "candidate";

// Links the imports of the spec's harness (the spec has one); all of `from_modules` are the candidate's. link_error,
// naming the import that neither the host nor a candidate can offer; validation_failed when none is the candidate's;
// module_too_large.
Result<Linked> link_harness(const EvaluationSpec& spec, const HostFunctions& host);

// Its function that is called. not_found, validation_failed: as find_run_target().
Result<RunTarget> find_harness_target(const LoadableArtifact& harness, const RunSpec& first_run);

// validation_failed unless the function gives a number for each of the spec's metrics, if it has any.
Result<void> check_metrics(const EvaluationSpec& spec, const RunTarget& target);

// All three; nothing is wrong without a harness. There is a first case.
Result<void> check_harness(std::span<const Case> cases, const EvaluationSpec& spec, const HostFunctions& host);

// How much of a candidate's results its row may keep: a module's gate allows no function more results.
constexpr std::size_t kResultsMax = 64;

constexpr std::uint64_t value_bytes(std::size_t cases, std::size_t results) {
  return std::uint64_t{cases} * results * sizeof(std::uint64_t);
}

// The number of cases is the caller's choice and the number of results the candidate's: one value a case may always be
// kept, several only as far as memory_bytes_max goes. too_large.
Result<void> check_row_values(const EvaluationSpec& spec, std::size_t cases, std::size_t results);

// An upper bound on what the row of any candidate keeps.
std::uint64_t row_bytes_max(const EvaluationSpec& spec, std::size_t cases);

}  // namespace petri
