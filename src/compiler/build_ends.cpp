#include "compiler/build_ends.h"

#include <fmt/format.h>

#include <algorithm>

namespace petri {
namespace {

std::string limit_sentence(const JobResult& result, const CompileOptions& options, std::string& limit) {
  switch (result.end) {
    case JobEnd::deadline:
      limit = "deadline";
      return fmt::format("the compiler did not end within time_max, {} ms",
                         std::chrono::duration_cast<std::chrono::milliseconds>(options.time_max).count());
    case JobEnd::processor: limit = "deadline"; return "the compiler used up its processor time";
    case JobEnd::memory:
      limit = "memory_bytes_max";
      return fmt::format("the compiler needs more memory than memory_bytes_max, {} MiB",
                         options.memory_bytes_max >> 20);
    case JobEnd::size:
      limit = "artifact_bytes_max";
      return fmt::format("the compiler writes more than artifact_bytes_max, {} bytes", options.artifact_bytes_max);
    case JobEnd::crashed: limit = "crash"; return fmt::format("the compiler crashed ({})", result.detail);
    default: return {};
  }
}

}  // namespace

JobLimits job_limits(const BuildContext& context) {
  return {.deadline = context.deadline,
          .memory_bytes_max = context.options.memory_bytes_max,
          .artifact_bytes_max = context.options.artifact_bytes_max,
          .output_bytes_max = context.options.output_bytes_max,
          .stop = context.options.stop};
}

Diagnostic unjailed_warning() {
  return {.severity = DiagnosticSeverity::warning,
          .kind = DiagnosticKind::compile,
          .message =
              "compiled without a jail, with the rights of this process: bubblewrap is not installed, and compiling "
              "without it was allowed"};
}

void add_end(ModuleBuild& build, const std::string& file, const JobResult& result, const CompileOptions& options) {
  std::string limit;
  std::string sentence = limit_sentence(result, options, limit);
  if (sentence.empty()) return;
  build.diagnostics.push_back(
      {.file = file, .severity = DiagnosticSeverity::error, .kind = DiagnosticKind::limit, .message = sentence});
  if (build.error) return;
  build.error = Error{.code = ErrorCode::compilation_failed,
                      .message = fmt::format("{}: {}", file, sentence),
                      .details = {{"component", "compiler"}, {"cause", limit}, {"file", file}}};
}

Error error_of(const std::vector<Diagnostic>& diagnostics, const ModulePlan& plan) {
  const auto is_error = [](const Diagnostic& one) { return one.severity == DiagnosticSeverity::error; };
  const auto first = std::ranges::find_if(diagnostics, is_error);
  if (first == diagnostics.end()) {
    return {.code = ErrorCode::compilation_failed,
            .message = fmt::format("{}: the compiler failed and did not say why", plan.place),
            .details = {{"component", "compiler"}}};
  }
  const auto count = std::ranges::count_if(diagnostics, is_error);
  std::string message = line_of(*first);
  if (count > 1) message += fmt::format(" (and {} more)", count - 1);
  return {.code = ErrorCode::compilation_failed,
          .message = std::move(message),
          .details = {{"component", plan.language},
                      {"file", first->file},
                      {"line", std::to_string(first->line)},
                      {"column", std::to_string(first->column)}}};
}

}  // namespace petri
