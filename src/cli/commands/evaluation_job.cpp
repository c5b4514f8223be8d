#include "cli/commands/evaluation_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text/escape.h"
#include "cli/commands/argument_types.h"
#include "cli/commands/cases_file.h"
#include "cli/commands/function_choice.h"
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

Result<Harness> read_harness(const EvaluateOptions& options) {
  if (options.harness.empty()) return Harness{};
  if (options.harness == "-" && options.cases == "-") {
    return fail(ErrorCode::validation_failed,
                "--harness and --cases cannot both be stdin; name a file for one of them");
  }
  return read_module(options.harness, options.limits.module_bytes_max);
}

Result<std::vector<ValueType>> types_in_harness(const Artifact& harness, const CasesFile& cases,
                                                const std::string& name) {
  PETRI_TRY(const ExportInfo* function, choose_function(harness, name));
  const Signature& signature = function->signature;
  if (signature.params.size() == cases.arguments_per_case()) return signature.params;
  return fail(
      ErrorCode::validation_failed,
      fmt::format("the function \"{}\" of type {} cannot be called like this: {} arguments are given and {} expected",
                  escape_text(name, 100), to_text(signature), cases.arguments_per_case(), signature.params.size()));
}

Result<std::vector<ValueType>> types_for(const CasesFile& cases, const Harness& harness, const CandidateFiles& files,
                                         const EvaluateOptions& options) {
  if (cases.types) return *cases.types;
  if (harness) return name_file(options.harness, types_in_harness(*harness.artifact(), cases, options.function));
  if (cases.arguments_per_case() == 0) return {};
  return find_argument_types(files.paths, {.name = options.function,
                                           .arguments = cases.arguments_per_case(),
                                           .module_bytes_max = options.limits.module_bytes_max});
}

Scorer scorer_of(const EvaluateOptions& options, const CasesFile& cases) {
  if (options.scorer) return *options.scorer;
  if (!options.metrics.empty()) return Scorer::metrics;
  return cases.expects_output() ? Scorer::exact : Scorer::squared_error;
}

EvaluationSpec spec_of(const EvaluateOptions& options, const CasesFile& cases, Harness harness) {
  return {.function = options.function,
          .fuel_max = options.limits.fuel_max,
          .memory_bytes_max = options.limits.memory_bytes_max,
          .output_bytes_max = options.limits.output_bytes_max,
          .call_depth_max = options.limits.call_depth_max,
          .module_bytes_max = options.limits.module_bytes_max,
          .seed = options.seed,
          .instances = options.instances,
          .stop_at_first_failure = !options.all_cases,
          .targets = cases.targets,
          .harness = std::move(harness),
          .scorer = scorer_of(options, cases),
          .tolerance = options.tolerance.value_or(EvaluationSpec{}.tolerance),
          .metrics = options.metrics,
          .keep_output_bytes = options.keep_output_bytes};
}

std::unexpected<Error> refuse_option(std::string why) { return fail(ErrorCode::validation_failed, std::move(why)); }

// Options that would have no effect, or contradict each other.
Result<void> check_options(const EvaluateOptions& options, const EvaluationSpec& spec) {
  if (options.append && options.force)
    return refuse_option("--append continues the records file and --force overwrites it; give one of them");
  for (const auto& [name, given] : {std::pair("--append", options.append), std::pair("--force", options.force),
                                    std::pair("--keep-output", options.keep_output_bytes > 0)}) {
    if (given && options.records.empty()) return refuse_option(fmt::format("{} needs --records", name));
  }
  if (options.tolerance && spec.scorer != Scorer::tolerance)
    return refuse_option(fmt::format("--tolerance is for the scorer tolerance, and this is {}", name_of(spec.scorer)));
  return {};
}

// A file that took hours to write is not to be lost by a repeated command.
Result<void> check_overwritten(const EvaluateOptions& options) {
  if (options.records.empty() || options.append || options.force) return {};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(options.records, ignored)) return {};
  if (std::filesystem::file_size(options.records, ignored) == 0) return {};
  return refuse_option(fmt::format("{}: there is such a file; --append continues it, --force overwrites it",
                                   file_title(options.records)));
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
    PETRI_TRY(check_output(output, {&options.harness, 1}));
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
  PETRI_TRY(Harness harness, read_harness(options));
  PETRI_TRY(const CasesFile cases, read_cases(options.cases));
  PETRI_TRY(job.files, find_candidates(options.candidates));
  PETRI_TRY(const auto types, types_for(cases, harness, job.files, options));
  PETRI_TRY(job.cases, name_file(options.cases, with_types(cases, types)));
  job.spec = spec_of(options, cases, std::move(harness));
  PETRI_TRY(check_options(options, job.spec));
  PETRI_TRY(name_file(options.cases, check_evaluation(job.cases, job.spec, evaluation_options(options))));
  PETRI_TRY(name_file(options.harness, check_harness(job.cases, job.spec, {})));
  PETRI_TRY(check_outputs(options, job.files));
  PETRI_TRY(check_overwritten(options));
  return job;
}

}  // namespace petri::cli
