// What can be wrong with a harness before any candidate is looked at.
#pragma once

#include <span>
#include <string_view>

#include "host/link.h"
#include "petri/evaluate.h"
#include "run/run_spec_check.h"

namespace petri {

// The import module whose functions are the candidate's.
inline constexpr std::string_view kCandidateModule = "candidate";

// Of a spec that has a harness: its imports; all of `from_modules` are the candidate's. link_error, naming the import
// that neither the host nor a candidate can offer; validation_failed when none is the candidate's; module_too_large.
Result<Linked> link_harness(const EvaluationSpec& spec, const HostFunctions& host);

// Its function that is called. not_found, validation_failed: as find_run_target().
Result<RunTarget> find_harness_target(const LoadableArtifact& harness, const RunSpec& first_run);

// Both; nothing is wrong without a harness. There is a first case.
Result<void> check_harness(std::span<const Case> cases, const EvaluationSpec& spec, const HostFunctions& host);

}  // namespace petri
