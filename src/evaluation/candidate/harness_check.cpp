#include "evaluation/spec_check.h"

#include <fmt/format.h>

#include "base/access.h"
#include "base/module_size.h"
#include "evaluation/candidate/link_candidate.h"
#include "host/module_target.h"

namespace petri {
namespace {

std::unexpected<Error> refuse(std::string_view what) {
  return fail(
      Error{.code = ErrorCode::validation_failed, .message = fmt::format("the harness: {}", what), .details = {}}.with(
          "component", "evaluation"));
}

std::unexpected<Error> refuse(const ImportView& import, std::string_view why) {
  return fail(import_error(ErrorCode::link_error, "link", import, why));
}

template <typename T>
Result<T> of_harness(Result<T> result) {
  if (!result) result.error().message.insert(0, "the harness: ");
  return result;
}

Result<void> check_from_candidate(const LoadableArtifact& module, const ModuleImport& from) {
  const ImportView import = module.import_at(from.index);
  if (from.module != kCandidateModule) {
    return refuse(import, fmt::format("(a function of type {}) is offered by nobody: a harness imports from the host "
                                      "and from \"{}\"",
                                      to_text(to_signature(import.signature)), kCandidateModule));
  }
  return check_crossing(import);
}

}  // namespace

Result<Linked> link_harness(const EvaluationSpec& spec, const HostFunctions& host) {
  const LoadableArtifact& module = loadable(*spec.harness.artifact());
  if (detail::Access::impl(host).has(kCandidateModule)) {
    return refuse(
        fmt::format("the host has a module \"{}\" too, which is what a harness knows the candidate by; give "
                    "the host's another name",
                    kCandidateModule));
  }
  PETRI_TRY(of_harness(check_module_size(module.bytes().size(), spec.module_bytes_max)));
  PETRI_TRY(Linked linked, of_harness(link_candidate(module, host, Neighbours::may_be)));
  for (const ModuleImport& from : linked.from_modules) PETRI_TRY(of_harness(check_from_candidate(module, from)));
  if (linked.from_modules.empty()) {
    return refuse(fmt::format("it imports nothing from \"{}\", so it would never call one", kCandidateModule));
  }
  return linked;
}

Result<RunTarget> find_harness_target(const LoadableArtifact& harness, const RunSpec& first_run) {
  return of_harness(find_run_target(harness, first_run, ArgumentTypes::exact));
}

Result<void> check_metrics(const EvaluationSpec& spec, const RunTarget& target) {
  const std::size_t results = target.signature.results.size();
  if (spec.scorer != Scorer::metrics || results == spec.metrics.size()) return {};
  return refuse(fmt::format("its function \"{}\" returns {} values, and {} metrics are named",
                            escape_text(spec.function, 100), results, spec.metrics.size()));
}

Result<void> check_harness(std::span<const Case> cases, const EvaluationSpec& spec, const HostFunctions& host) {
  if (!spec.harness) return {};
  PETRI_TRY(link_harness(spec, host));
  PETRI_TRY(const RunTarget target,
            find_harness_target(loadable(*spec.harness.artifact()),
                                {.function = spec.function, .arguments = cases.front().arguments}));
  return check_metrics(spec, target);
}

}  // namespace petri
