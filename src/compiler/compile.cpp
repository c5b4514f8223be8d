#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "base/module_size.h"
#include "base/text/byte_text.h"
#include "base/threads/thread_pool.h"
#include "compiler/language.h"
#include "compiler/module_plans.h"
#include "compiler/toolbox.h"

namespace petri {
namespace {

using Steady = std::chrono::steady_clock;

// The sources of one compile, read and planned. Code that is a module already is in `ready` instead.
struct Work {
  SourceFiles files;
  std::vector<ModulePlan> plans;
  std::optional<CompiledSource> ready;
};

bool is_wasm(std::string_view bytes) { return bytes.starts_with(std::string_view("\0asm", 4)); }

Result<Work> ready_work(ArtifactPtr artifact, const std::string& path) {
  Work work;
  work.ready = CompiledSource{.module = path.empty() ? "module" : stem_of(path),
                              .language = "wasm",
                              .file = file_name_of(path),
                              .artifact = std::move(artifact)};
  return work;
}

Result<Work> wasm_work(std::string_view bytes, const std::string& path, const CompileOptions& options) {
  PETRI_TRY(ArtifactPtr artifact, Artifact::from_wasm(as_bytes(bytes), options.artifact_bytes_max, options.bounds));
  return ready_work(std::move(artifact), path);
}

Result<Work> text_work(std::string_view language_name, const Source& source, const CompileOptions& options) {
  PETRI_TRY(const Language* const language, find_language(language_name));
  PETRI_TRY(check_module_size(source.text().size(), options.source_bytes_max, "text"));
  std::string file = source.path().empty() ? "source" : file_name_of(source.path());
  const SourceLanguage* const by_name = language_of_file(file);
  if (by_name == nullptr || by_name->name != language->facts().name) file += language->facts().endings.front();
  Work work;
  work.files.add(file, source.text());
  work.plans.push_back(plan_file(file, *language, options));
  return work;
}

ReadBounds bounds_of(const CompileOptions& options) {
  return {.file_bytes_max = options.source_bytes_max, .folder_bytes_max = 4 * options.source_bytes_max};
}

// A file without a known ending is wat, as it is for a sandbox.
Result<Work> file_work(const std::string& path, const CompileOptions& options) {
  const SourceLanguage* const by_name = language_of_file(path);
  const std::string name = !options.language.empty() ? options.language : by_name != nullptr ? by_name->name : "wat";
  PETRI_TRY(const Language* const language, find_language(name));
  PETRI_TRY(SourceFiles files, read_source_file(path, bounds_of(options)));
  const std::string file = file_name_of(path);
  if (is_wasm(*files.find(file))) return wasm_work(*files.find(file), path, options);
  Work work{.files = std::move(files), .plans = {}, .ready = {}};
  work.plans.push_back(plan_file(file, *language, options));
  return work;
}

Result<Work> folder_work(const std::string& path, const CompileOptions& options) {
  PETRI_TRY(SourceFiles files, read_source_folder(path, bounds_of(options)));
  PETRI_TRY(std::vector<ModulePlan> plans, plan_folder(files, options));
  return Work{.files = std::move(files), .plans = std::move(plans), .ready = {}};
}

Result<Work> work_of(const Source& source, const CompileOptions& options) {
  switch (source.kind()) {
    case Source::Kind::artifact:
      if (source.artifact() == nullptr) return fail(ErrorCode::not_found, "the source has no artifact");
      return ready_work(source.artifact(), source.path());
    case Source::Kind::wasm: return wasm_work(source.text(), source.path(), options);
    case Source::Kind::wat: return text_work("wat", source, options);
    case Source::Kind::code: return text_work(source.language(), source, options);
    case Source::Kind::file: return file_work(source.text(), options);
    case Source::Kind::folder: return folder_work(source.text(), options);
  }
  std::unreachable();
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

// A module without a word in it is no module in any language.
std::optional<ModuleBuild> empty_build(const ModulePlan& plan, const SourceFiles& files) {
  if (!std::ranges::all_of(plan.sources, [&](const std::string& file) { return is_blank(*files.find(file)); })) {
    return std::nullopt;
  }
  const std::string& file = plan.sources.front();
  ModuleBuild build{.files = plan.sources};
  build.diagnostics.push_back({.file = file,
                               .line = 1,
                               .column = 1,
                               .severity = DiagnosticSeverity::error,
                               .kind = DiagnosticKind::syntax,
                               .message = "the text is empty"});
  build.error = Error{.code = ErrorCode::parse_failed,
                      .message = "the text is empty; there is nothing to compile",
                      .details = {{"component", plan.language}, {"line", "1"}, {"column", "1"}}};
  return build;
}

// Wasm that a compiler made passes the same checks as any other wasm.
void check_artifact(ModuleBuild& build, const CompileOptions& options) {
  if (build.error || build.artifact != nullptr) return;
  auto artifact = Artifact::from_wasm(as_bytes(build.wasm), options.artifact_bytes_max, options.bounds);
  build.wasm = {};
  if (artifact) {
    build.artifact = std::move(*artifact);
  } else {
    build.error = std::move(artifact.error());
  }
}

Result<ModuleBuild> build_one(const ModulePlan& plan, const BuildContext& context) {
  if (context.options.stop.stop_requested()) return fail(ErrorCode::cancelled, "the compile was stopped");
  if (auto empty = empty_build(plan, context.files)) return *std::move(empty);
  PETRI_TRY(ModuleBuild build, language_named(plan.language)->build(plan, context));
  check_artifact(build, context.options);
  return build;
}

CompiledSource compiled_of(const ModulePlan& plan, const ModuleBuild& build, const SourceFiles& files) {
  return {.module = plan.module,
          .language = plan.language,
          .file = plan.place,
          .artifact = build.artifact,
          .text = plan.sources.size() == 1 ? files.find(plan.sources.front()) : nullptr,
          .cache_hit = build.cache_hit,
          .files = build.files,
          .rebuilt = build.rebuilt,
          .error = build.error};
}

void add_to(CompileReport& report, const ModulePlan& plan, const SourceFiles& files, ModuleBuild build) {
  report.modules.push_back(compiled_of(plan, build, files));
  report.files_compiled += build.rebuilt.size();
  report.cache_hit = report.cache_hit && build.cache_hit;
  report.diagnostics_cut += build.diagnostics_cut;
  if (build.error && !report.error) report.error = build.error;
  if (!build.cache_hit) report.strategy = build.strategy;
  std::ranges::stable_sort(build.diagnostics, std::ranges::greater(), &Diagnostic::severity);
  for (Diagnostic& diagnostic : build.diagnostics) {
    if (diagnostic.severity == DiagnosticSeverity::warning) ++report.warnings;
    if (diagnostic.severity == DiagnosticSeverity::error) ++report.errors;
    report.diagnostics.push_back(std::move(diagnostic));
  }
}

std::vector<Result<ModuleBuild>> build_all(const std::vector<ModulePlan>& plans, const BuildContext& context) {
  std::vector<Result<ModuleBuild>> builds(plans.size(), fail(ErrorCode::cancelled, "not compiled"));
  const auto build = [&](std::size_t index) { builds[index] = build_one(plans[index], context); };
  context.tools.for_each(plans.size(), context.options.jobs, build);
  return builds;
}

bool imports_from(const CompiledSource& module, const std::string& other) {
  return module.artifact != nullptr && module.module != other &&
         std::ranges::any_of(module.artifact->imports(),
                             [&](const ImportInfo& import) { return import.module == other; });
}

// Sorts by name, with those that others import from first; in a ring the name alone decides.
void put_in_order(std::vector<CompiledSource>& modules) {
  std::ranges::stable_sort(modules, {}, &CompiledSource::module);
  for (std::size_t done = 0; done < modules.size(); ++done) {
    const auto is_ready = [&](const CompiledSource& module) {
      return std::none_of(modules.begin() + static_cast<std::ptrdiff_t>(done), modules.end(),
                          [&](const CompiledSource& other) { return imports_from(module, other.module); });
    };
    const auto from = modules.begin() + static_cast<std::ptrdiff_t>(done);
    const auto next = std::find_if(from, modules.end(), is_ready);
    if (next != modules.end()) std::rotate(from, next, next + 1);
  }
}

Result<CompileReport> report_on(const Work& work, std::vector<Result<ModuleBuild>> builds) {
  CompileReport report{.cache_hit = true, .strategy = CompileStrategy::cache};
  for (std::size_t index = 0; index < builds.size(); ++index) {
    if (!builds[index]) return fail(std::move(builds[index].error()));
    add_to(report, work.plans[index], work.files, std::move(*builds[index]));
  }
  put_in_order(report.modules);
  report.status = report.error ? CompileOutcome::failed : CompileOutcome::compiled;
  return report;
}

CompileReport ready_report(CompiledSource ready) {
  CompileReport report{.status = CompileOutcome::compiled};
  report.modules.push_back(std::move(ready));
  return report;
}

}  // namespace

Result<CompileReport> compile(const Source& source, const CompileOptions& options) {
  const Steady::time_point started = Steady::now();
  PETRI_TRY(check_compile_options(options));
  PETRI_TRY(Work work, work_of(source, options));
  if (work.ready) return ready_report(*std::move(work.ready));
  const BuildContext context{
      .files = work.files, .options = options, .deadline = started + options.time_max, .tools = shared_toolbox()};
  PETRI_TRY(CompileReport report, report_on(work, build_all(work.plans, context)));
  report.duration = Steady::now() - started;
  return report;
}

std::string several_modules_sentence(const CompileReport& report) {
  return fmt::format("the folder has {} modules where one is wanted; name one of its files or subfolders",
                     report.modules.size());
}

Result<ArtifactPtr> compile_module(const Source& source, const CompileOptions& options) {
  PETRI_TRY(const CompileReport report, compile(source, options));
  if (report.error) return fail(*report.error);
  if (report.modules.size() == 1) return report.modules.front().artifact;
  return fail(ErrorCode::validation_failed, several_modules_sentence(report));
}

}  // namespace petri
