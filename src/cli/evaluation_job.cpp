#include "cli/evaluation_job.h"

#include <fmt/format.h>

#include <utility>

#include "cli/argument_types.h"
#include "cli/cases_file.h"
#include "cli/input_file.h"
#include "cli/output_file.h"
#include "evaluation/spec_check.h"

namespace petri::cli {
namespace {

constexpr std::uint64_t kCasesBytesMax = 256ULL << 20;

Result<CasesFile> read_cases(const std::string& path) {
  PETRI_TRY(const std::string text, read_input(path, kCasesBytesMax));
  return name_file(path, parse_cases(text));
}

Result<std::vector<ValueType>> types_for(const CasesFile& cases, const CandidateFiles& files,
                                         const EvaluateOptions& options) {
  if (cases.types) return *cases.types;
  if (cases.arguments_per_case() == 0) return {};
  return find_argument_types(files.paths, {.name = options.function,
                                           .arguments = cases.arguments_per_case(),
                                           .module_bytes_max = options.limits.module_bytes_max});
}

EvaluationSpec spec_of(const EvaluateOptions& options, std::vector<double> targets) {
  return {.function = options.function,
          .fuel_max = options.limits.fuel_max,
          .memory_bytes_max = options.limits.memory_bytes_max,
          .output_bytes_max = options.limits.output_bytes_max,
          .call_depth_max = options.limits.call_depth_max,
          .module_bytes_max = options.limits.module_bytes_max,
          .seed = options.seed,
          .instances = options.instances,
          .stop_at_first_failure = options.stop_at_first_failure,
          .targets = std::move(targets)};
}

// Both files are emptied before anything is written.
Result<void> check_outputs(const EvaluateOptions& options, const CandidateFiles& files) {
  if (is_same_file(options.records, options.timings)) {
    return fail(
        ErrorCode::validation_failed,
        fmt::format("{}: --records and --timings name the same file; give each its own", file_title(options.records)));
  }
  for (const std::string& output : {options.records, options.timings}) {
    PETRI_TRY(check_output(output, {&options.cases, 1}));
    PETRI_TRY(check_output(output, files.paths));
  }
  return {};
}

}  // namespace

Limits evaluation_limits() { return limits_of(EvaluationSpec{}, EvaluationOptions{}.case_time_max); }

EvaluationOptions evaluation_options(const EvaluateOptions& options) {
  return {.workers = static_cast<unsigned>(options.workers),
          .tier = options.tier,
          .case_time_max = options.limits.execution_time_max,
          .receipts = !options.no_receipts};
}

Result<EvaluationJob> prepare_job(const EvaluateOptions& options) {
  PETRI_TRY(validate(options.limits));
  EvaluationJob job;
  PETRI_TRY(CasesFile cases, read_cases(options.cases));
  PETRI_TRY(job.files, find_candidates(options.candidates));
  PETRI_TRY(const auto types, types_for(cases, job.files, options));
  PETRI_TRY(job.cases, name_file(options.cases, with_types(cases, types)));
  job.spec = spec_of(options, std::move(cases.targets));
  PETRI_TRY(name_file(options.cases, check_evaluation(job.cases, job.spec, evaluation_options(options))));
  PETRI_TRY(check_outputs(options, job.files));
  return job;
}

}  // namespace petri::cli
