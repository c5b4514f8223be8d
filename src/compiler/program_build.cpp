#include "compiler/program_build.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text/escape.h"
#include "compiler/build_ends.h"
#include "compiler/cache/compile_cache.h"
#include "compiler/clang/clang_messages.h"
#include "compiler/clang/jailed_clang.h"
#include "compiler/toolbox.h"

namespace petri {
namespace {

constexpr const char* kArtifact = "artifact";
constexpr std::size_t kTextMax = 2'000;

// Two numbers between the marks: "(3,10)", ":3:10".
bool read_place(std::string_view text, char open, char between, Diagnostic& diagnostic) {
  const std::size_t second = text.rfind(between);
  const std::size_t first = second == std::string_view::npos || second == 0 ? second : text.rfind(open, second - 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  const char* const end = text.data() + text.size();
  const auto line = std::from_chars(text.data() + first + 1, text.data() + second, diagnostic.line);
  const auto column = std::from_chars(text.data() + second + 1, end, diagnostic.column);
  if (line.ec != std::errc() || column.ec != std::errc()) return false;
  std::string_view file = text.substr(0, first);
  while (file.starts_with("./")) file.remove_prefix(2);
  diagnostic.file = escape_text(file);
  return true;
}

// Reads messages whose form is unknown: the first line that names an error.
Diagnostic first_line_of(std::string_view messages, const std::string& file) {
  while (!messages.empty()) {
    const std::size_t end = messages.find('\n');
    const std::string_view line = messages.substr(0, end);
    if (line.find("rror") != std::string_view::npos) {
      return {.file = file, .message = without_host_paths(escape_text(line, kTextMax))};
    }
    messages = end == std::string_view::npos ? std::string_view() : messages.substr(end + 1);
  }
  return {.file = file, .message = "the compiler failed and did not say why"};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// "ERROR TS2304: Cannot find name 'x'.", and lines later "in adder.ts(3,10)"; "error[E0425]: cannot find value `x`",
// and then "--> adder.rs:3:10".
class MessageReader {
 public:
  explicit MessageReader(MessageForm form) : rust_(form == MessageForm::rust) {}

  void read(std::string_view line) {
    line = trimmed(line);
    if (!found_.empty() && found_.back().line == 0 && read_place_of(line)) return;
    for (const auto& [word, severity] : kWords) {
      if (!line.starts_with(word)) continue;
      const std::size_t colon = line.find(": ");
      if (colon == std::string_view::npos) return;
      const std::string_view message = line.substr(colon + 2);
      const bool summary = rust_ && (message.starts_with("aborting due to") ||
                                     message.find("warning emitted") != std::string_view::npos);
      if (summary) return;
      const bool missing =
          message.find("not found") != std::string_view::npos || message.find("unresolved") != std::string_view::npos;
      const bool syntax = line.find("TS1") != std::string_view::npos || message.starts_with("expected ");
      found_.push_back({.severity = severity,
                        .kind = missing  ? DiagnosticKind::dependency
                                : syntax ? DiagnosticKind::syntax
                                         : DiagnosticKind::compile,
                        .message = without_host_paths(escape_text(message, kTextMax))});
      return;
    }
  }
  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  static constexpr std::array<std::pair<std::string_view, DiagnosticSeverity>, 4> kWords{
      {{"ERROR", DiagnosticSeverity::error},
       {"error", DiagnosticSeverity::error},
       {"WARNING", DiagnosticSeverity::warning},
       {"warning", DiagnosticSeverity::warning}}};

  bool read_place_of(std::string_view line) {
    if (rust_) return line.starts_with("--> ") && read_place(line.substr(4), ':', ':', found_.back());
    const std::size_t in = line.find("in ");
    return in != std::string_view::npos && line.ends_with(')') &&
           read_place(line.substr(in + 3), '(', ',', found_.back());
  }

  const bool rust_;
  std::vector<Diagnostic> found_;
};

std::string identity_of(const ProgramJob& job) {
  std::string identity;
  for (const std::string& path : job.identity_files) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) continue;
    identity += fmt::format("{} {} {}.{}\n", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  for (const std::string& argument : job.arguments) identity += argument + "\n";
  return identity;
}

Result<ServerCommand> command_of(const ProgramJob& job, const CompileOptions& options) {
  PETRI_TRY(const std::string bubblewrap, find_jail(options));
  PETRI_TRY(const std::string server, find_compile_server());
  if (bubblewrap.empty()) return ServerCommand{.words = {server, kAnyProgram}, .environment = {}, .jailed = false};
  JailSpec spec{.mounts = library_mounts(), .environment = job.environment, .may_mount = true, .has_proc = true};
  spec.environment.push_back(std::string(kJailedVariable) + "=1");
  spec.mounts.insert(spec.mounts.end(), job.mounts.begin(), job.mounts.end());
  spec.mounts.push_back({server, kServerInJail});
  return ServerCommand{
      .words = jail_command(bubblewrap, spec, {kServerInJail, kAnyProgram}), .environment = {}, .jailed = true};
}

ServerJob server_job(const BuildContext& context, const ProgramJob& job) {
  ServerJob work{.arguments = job.arguments, .files = {}, .results = {kArtifact}, .limits = job_limits(context)};
  for (const auto& [path, bytes] : context.files.all()) work.files.push_back({path, bytes});
  return work;
}

class ProgramBuild {
 public:
  ProgramBuild(const ModulePlan& plan, const BuildContext& context, const ProgramJob& job, MessageForm form)
      : plan_(plan),
        context_(context),
        job_(job),
        form_(form),
        cache_(context.options.cache ? cache_folder_of(context.options) : "", context.options.cache_bytes_max) {}

  Result<ModuleBuild> run() {
    if (cache_.folder().empty()) return build();
    CacheKey key;
    key.add("program").add(identity_of(job_));
    for (const auto& [path, bytes] : context_.files.all()) key.add(path).add(*bytes);
    const CacheUse::Claim claim(use(), key.hex(), context_.deadline);
    bool damaged = false;
    const auto record = cache_.find(key.hex(), damaged);
    if (damaged) use().count_damaged();
    if (record && record->size() == 2) {
      use().count_hit();
      return ModuleBuild{.wasm = (*record)[0],
                         .diagnostics = program_diagnostics((*record)[1], form_),
                         .files = plan_.sources,
                         .cache_hit = true,
                         .strategy = CompileStrategy::cache};
    }
    use().count_miss();
    PETRI_TRY(ModuleBuild built, build());
    if (!built.error) cache_.put(key.hex(), {built.wasm, messages_});
    return built;
  }

 private:
  CacheUse& use() const { return context_.tools.cache_use(); }

  Result<ModuleBuild> build() {
    PETRI_TRY(const ServerCommand command, command_of(job_, context_.options));
    PETRI_TRY(ServerPool::Outcome outcome, context_.tools.servers().run(command, server_job(context_, job_)));
    if (auto why = why_not_started(outcome.result)) return fail(*std::move(why));
    JobResult result = job_result(std::move(outcome.result));
    if (result.end == JobEnd::stopped) return fail(ErrorCode::cancelled, "the compile was stopped");
    messages_ = result.output;
    ModuleBuild built{.wasm = {},
                      .diagnostics = program_diagnostics(messages_, form_),
                      .diagnostics_cut = result.output_cut,
                      .files = plan_.sources,
                      .rebuilt = plan_.sources,
                      .strategy = !command.jailed ? CompileStrategy::unjailed : CompileStrategy::jail};
    if (!command.jailed) built.diagnostics.push_back(unjailed_warning());
    add_end(built, plan_.place, result, context_.options);
    if (result.end == JobEnd::done) {
      built.wasm = std::move(result.artifact);
    } else if (!built.error) {
      const auto is_error = [](const Diagnostic& one) { return one.severity == DiagnosticSeverity::error; };
      if (std::ranges::none_of(built.diagnostics, is_error)) {
        built.diagnostics.push_back(first_line_of(messages_, plan_.place));
      }
      built.error = error_of(built.diagnostics, plan_);
    }
    return built;
  }

  const ModulePlan& plan_;
  const BuildContext& context_;
  const ProgramJob& job_;
  const MessageForm form_;
  const CacheFolder cache_;
  std::string messages_;
};

}  // namespace

std::vector<Diagnostic> program_diagnostics(std::string_view messages, MessageForm form) {
  MessageReader reader(form);
  while (!messages.empty()) {
    const std::size_t end = messages.find('\n');
    reader.read(messages.substr(0, end));
    messages = end == std::string_view::npos ? std::string_view() : messages.substr(end + 1);
  }
  return reader.take();
}

Result<ModuleBuild> build_by_program(const ModulePlan& plan, const BuildContext& context, ProgramJob job,
                                     MessageForm form) {
  return ProgramBuild(plan, context, job, form).run();
}

}  // namespace petri
