#include "compiler/clang/jailed_clang.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "compiler/clang/clang_arguments.h"

namespace petri {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

JobEnd end_by_signal(int signal, const std::string& messages) {
  if (has_any(messages, {"out of memory", "Allocation failed", "bad_alloc"})) return JobEnd::memory;
  switch (signal) {
    case SIGXCPU: return JobEnd::processor;
    case SIGXFSZ: return JobEnd::size;
    case SIGKILL: return JobEnd::memory;  // by the kernel, which had none left
    default: return JobEnd::crashed;
  }
}

JobEnd end_by_status(int status, const ServerJobResult& result) {
  if (result.file_too_large) return JobEnd::size;
  if (status == 0) return result.files.contains(kArtifactResult) ? JobEnd::done : JobEnd::failed;
  // clang reports a crash of its own in this way, and then ends in order.
  const bool crashed = status >= 128 || has_any(result.messages, {"PLEASE submit a bug report", "due to signal"});
  if (has_any(result.messages, {"LLVM ERROR: out of memory", "Allocation failed", "bad_alloc"})) return JobEnd::memory;
  if (has_any(result.messages, {"File too large", "No space left on device"})) return JobEnd::size;
  return crashed ? JobEnd::crashed : JobEnd::failed;
}

JobEnd end_of(const ServerJobResult& result) {
  switch (result.end) {
    case ServerJobEnd::deadline: return JobEnd::deadline;
    case ServerJobEnd::stopped: return JobEnd::stopped;
    case ServerJobEnd::not_started:
    case ServerJobEnd::lost: return JobEnd::crashed;
    case ServerJobEnd::ended: break;
  }
  const int status = result.report.wait_status;
  if (WIFSIGNALED(status)) return end_by_signal(WTERMSIG(status), result.messages);
  return end_by_status(WEXITSTATUS(status), result);
}

std::string detail_of(const ServerJobResult& result) {
  if (result.end == ServerJobEnd::lost || result.end == ServerJobEnd::not_started) return "the compile server ended";
  const int status = result.report.wait_status;
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("status {}", WEXITSTATUS(status));
}

std::vector<std::string> results_of(const ClangJob& job) {
  if (job.output == ClangOutput::object) return {kArtifactResult, kDependenciesResult};
  return {kArtifactResult};
}

}  // namespace

std::optional<Error> why_not_started(const ServerJobResult& result) {
  const int status = result.report.wait_status;
  const bool started = result.end != ServerJobEnd::ended || !WIFEXITED(status) || WEXITSTATUS(status) != kJobNotStarted;
  if (started) return std::nullopt;
  Error error{.code = ErrorCode::host_fault,
              .message = "the compiler's jail could not be set up: " + result.messages,
              .details = {}};
  if (error.message.ends_with('\n')) error.message.pop_back();
  return std::move(error).with("component", "compiler");
}

JobResult job_result(ServerJobResult result) {
  JobResult job{.end = end_of(result),
                .output_cut = result.messages_cut,
                .detail = detail_of(result),
                .processor_time = std::chrono::microseconds(result.report.processor_us),
                .memory_bytes_peak = result.report.memory_bytes_peak};
  job.has_dependencies = result.files.contains(kDependenciesResult);
  job.dependencies = files_of_dependency_list(result.files[kDependenciesResult]);
  job.artifact = std::move(result.files[kArtifactResult]);
  job.output = std::move(result.messages);
  return job;
}

ServerCommand JailedClang::command_of(const std::string& program) const {
  if (place_.bubblewrap.empty()) return {.words = {place_.server, program}, .environment = {}, .jailed = false};
  JailSpec spec{.mounts = toolchain_.mounts, .environment = {std::string(kJailedVariable) + "=1"}, .may_mount = true};
  spec.mounts.push_back({place_.server, kServerInJail});
  if (!place_.headers.empty()) spec.mounts.push_back({place_.headers, kHeaderFolder});
  return {.words = jail_command(place_.bubblewrap, spec, {kServerInJail, program}), .environment = {}, .jailed = true};
}

Result<void> JailedClang::warm_up() {
  PETRI_TRY(servers_.server_of(command_of(toolchain_.clang)));
  PETRI_TRY(servers_.server_of(command_of(toolchain_.linker)));
  return {};
}

// While clang 22 lists dependencies it says nothing of an #embed without its file, and leaves out the list.
Result<JobResult> JailedClang::run(const ClangJob& job) {
  PETRI_TRY(JobResult result, run_once(job));
  if (job.output != ClangOutput::object || !job.dependencies || result.end != JobEnd::done || result.has_dependencies) {
    return result;
  }
  ClangJob again = job;
  again.dependencies = false;
  return run_once(again);
}

Result<JobResult> JailedClang::run_once(const ClangJob& job) {
  const bool links = job.output == ClangOutput::link;
  const std::string headers = place_.bubblewrap.empty() ? place_.headers : std::string(kHeaderFolder);
  ServerJob work{.arguments = links ? linker_arguments(job, toolchain_, platform_)
                                    : clang_arguments(job, toolchain_, platform_, headers),
                 .files = job.files,
                 .results = results_of(job),
                 .limits = job.limits};
  if (!links) work.files.push_back(job.source);
  PETRI_TRY(ServerPool::Outcome outcome, servers_.run(command_of(links ? toolchain_.linker : toolchain_.clang), work));
  if (auto why = why_not_started(outcome.result)) return fail(*std::move(why));
  JobResult result = job_result(std::move(outcome.result));
  const bool jailed = !place_.bubblewrap.empty();
  result.strategy = !jailed          ? CompileStrategy::unjailed
                    : outcome.is_new ? CompileStrategy::jail
                                     : CompileStrategy::server;
  return result;
}

}  // namespace petri
