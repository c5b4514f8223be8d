#include "compiler/clang/clang_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/build_ends.h"
#include "compiler/cache/compile_cache.h"
#include "compiler/clang/clang_finder.h"
#include "compiler/clang/clang_messages.h"
#include "compiler/clang/guest_headers.h"
#include "compiler/clang/header_store.h"
#include "compiler/clang/line_table.h"
#include "compiler/clang/object_symbols.h"
#include "compiler/includes.h"
#include "compiler/toolbox.h"

namespace petri {
namespace {

// State that a guest describes by a table of this name (guest/c/petri.h).
constexpr const char* kStateTable = "petri_state";

// One source on its way to an object.
struct Unit {
  std::string file;
  ClangLanguage language = ClangLanguage::c;
  JobResult result;
  bool cached = false;
  std::string key;  // of the object in the cache; empty: it is not there
};

ClangLanguage language_of(const std::string& file, const ModulePlan& plan) {
  const SourceLanguage* const by_name = language_of_file(file);
  return (by_name == nullptr ? plan.language : by_name->name) == "cpp" ? ClangLanguage::cpp : ClangLanguage::c;
}

// Other files that the source may include: all headers, and the sources that it names.
std::vector<JobFile> files_beside(const std::string& source, const SourceFiles& files) {
  std::set<std::string> named{source};
  std::vector<std::string> waiting{source};
  while (!waiting.empty()) {
    const std::string file = std::move(waiting.back());
    waiting.pop_back();
    for (std::string& path : quoted_includes(*files.find(file), folder_of(file))) {
      if (files.find(path) != nullptr && named.insert(path).second) waiting.push_back(std::move(path));
    }
  }
  std::vector<JobFile> beside;
  for (const auto& [path, bytes] : files.all()) {
    if (path != source && (language_of_file(path) == nullptr || named.contains(path))) beside.push_back({path, bytes});
  }
  return beside;
}

// -std= is for one of the two languages; a folder may have both.
bool is_flag_of(const std::string& flag, ClangLanguage language) {
  const bool for_cpp = flag.starts_with("-std=c++") || flag.starts_with("-std=gnu++") || flag == "-fno-rtti" ||
                       flag == "-fno-threadsafe-statics";
  const bool for_c = flag.starts_with("-std=") && !for_cpp;
  return language == ClangLanguage::cpp ? !for_c : !for_cpp;
}

ClangJob object_job(const Unit& unit, const ModulePlan& plan, const BuildContext& context) {
  ClangJob job{.language = unit.language,
               .output = ClangOutput::object,
               .source = {unit.file, context.files.find(unit.file)},
               .files = files_beside(unit.file, context.files),
               .include_folders = plan.include_folders,
               .flags = {"-O" + plan.optimise},
               .limits = job_limits(context)};
  for (const std::string& flag : plan.flags) {
    if (is_flag_of(flag, unit.language)) job.flags.push_back(flag);
  }
  if (context.options.warnings_are_errors) job.flags.emplace_back("-Werror");
  return job;
}

// The key of everything that decides about the module: its sources, all that they may include, and the toolchain.
std::string module_key(const ModulePlan& plan, const BuildContext& context, const std::string& identity) {
  CacheKey key;
  key.add("module").add(identity).add(plan.language).add(plan.optimise);
  key.add(context.options.warnings_are_errors ? "errors" : "warnings");
  for (const std::string& flag : plan.flags) key.add("flag").add(flag);
  for (const std::string& folder : plan.include_folders) key.add("folder").add(folder);
  for (const std::string& name : plan.exports) key.add("export").add(name);
  std::map<std::string, SourceFiles::Bytes> files;
  for (const std::string& source : plan.sources) {
    key.add("source").add(source);
    files[source] = context.files.find(source);
    for (JobFile& file : files_beside(source, context.files)) files[file.path] = std::move(file.bytes);
  }
  for (const auto& [path, bytes] : files) key.add(path).add(*bytes);
  return key.hex();
}

// The key of an object but for what its source includes; the names of what it could include are part of it.
std::string object_list_key(const ClangJob& job, const std::string& identity) {
  CacheKey key;
  key.add("object").add(identity).add(job.language == ClangLanguage::c ? "c" : "cpp");
  for (const std::string& flag : job.flags) key.add("flag").add(flag);
  for (const std::string& folder : job.include_folders) key.add("folder").add(folder);
  key.add(job.source.path).add(*job.source.bytes);
  for (const JobFile& file : job.files) key.add(file.path);
  return key.hex();
}

std::string object_key(const std::string& list_key, const std::vector<std::string>& files, const SourceFiles& all) {
  CacheKey key;
  key.add(list_key);
  for (const std::string& file : files) {
    const auto bytes = all.find(file);
    key.add(file).add(bytes == nullptr ? "" : *bytes);
  }
  return key.hex();
}

class ClangBuild {
 public:
  ClangBuild(const ModulePlan& plan, const BuildContext& context, std::string identity)
      : plan_(plan),
        context_(context),
        identity_(std::move(identity)),
        cache_(context.options.cache ? cache_folder_of(context.options) : "", context.options.cache_bytes_max) {}

  Result<ModuleBuild> run() {
    if (!has_cache()) return build();
    const std::string key = module_key(plan_, context_, identity_);
    const CacheUse::Claim claim(use(), key, context_.deadline);
    if (auto record = find(key); record && take_module(*record)) {
      use().count_hit();
      return std::move(build_);
    }
    PETRI_TRY(ModuleBuild built, build());
    built.cache_hit ? use().count_hit() : use().count_miss();
    if (!built.error) put_module(key, built);
    return built;
  }

 private:
  bool has_cache() const { return !cache_.folder().empty(); }
  CacheUse& use() const { return context_.tools.cache_use(); }

  std::optional<CacheRecord> find(const std::string& key) const {
    bool damaged = false;
    auto record = cache_.find(key, damaged);
    if (damaged) use().count_damaged();
    return record;
  }
  void put(const std::string& key, const CacheRecord& record) const {
    cache_.put(key, record);
    if (use().is_due()) cache_.remove_oldest();
  }

  // A module's record: the wasm, the linker's messages, how many sources with their messages, and its files.
  bool take_module(const CacheRecord& record) {
    if (record.size() < 3) return false;
    const std::size_t count = plan_.sources.size();
    if (record.size() < 2 + count) return false;
    build_ = {.wasm = record[0], .cache_hit = true, .strategy = CompileStrategy::cache};
    for (std::size_t index = 0; index < count; ++index) add_diagnostics(clang_diagnostics(record[2 + index]));
    add_diagnostics(linker_diagnostics(record[1]));
    build_.files.assign(record.begin() + 2 + static_cast<std::ptrdiff_t>(count), record.end());
    return true;
  }
  void put_module(const std::string& key, const ModuleBuild& built) const {
    CacheRecord record{built.wasm, link_messages_};
    for (const Unit& unit : units_) record.push_back(unit.result.output);
    record.insert(record.end(), built.files.begin(), built.files.end());
    put(key, record);
  }

  Result<ModuleBuild> build() {
    PETRI_TRY(clang_, context_.tools.clang().find(context_.options, has_cache() ? cache_.headers() : ""));
    if (plan_.language == "cpp" && !clang_.platform.has_cpp) {
      return fail(ErrorCode::compilation_failed,
                  fmt::format("C++ needs its standard library for WASI; install the packages {}",
                              clang_.toolchain.cpp_packages()));
    }
    for (const std::string& file : plan_.sources)
      units_.push_back({.file = file, .language = language_of(file, plan_)});
    warn_without_jail();
    PETRI_TRY(compile_all());
    if (!build_.error) PETRI_TRY(link());
    build_.files = {files_.begin(), files_.end()};
    return std::move(build_);
  }

  void warn_without_jail() {
    if (clang_.jailed) return;
    build_.diagnostics.push_back(unjailed_warning());
  }

  Result<void> compile_all() {
    std::vector<std::optional<Error>> errors(units_.size());
    context_.tools.for_each(units_.size(), context_.options.jobs, [&](std::size_t index) {
      auto compiled = compile(units_[index]);
      if (!compiled) errors[index] = std::move(compiled.error());
    });
    for (std::size_t index = 0; index < units_.size(); ++index) {
      if (errors[index]) return fail(*std::move(errors[index]));
      PETRI_TRY(add_unit(units_[index]));
    }
    return {};
  }

  // On one of several threads.
  Result<void> compile(Unit& unit) const {
    ClangJob job = object_job(unit, plan_, context_);
    const std::string list_key = has_cache() ? object_list_key(job, identity_) : std::string();
    if (has_cache() && take_object(list_key, unit)) return {};
    if (has_cache() && clang_.jailed && context_.options.precompiled_header && unit.language == ClangLanguage::cpp &&
        includes_standard_library(*job.source.bytes)) {
      job.precompiled_header = context_.tools.headers().header_for(job, *clang_.runner, cache_, identity_);
      if (!job.precompiled_header.empty()) job.files.push_back(standard_headers());
    }
    job.files.insert(job.files.end(), guest_headers().begin(), guest_headers().end());
    PETRI_TRY(unit.result, clang_.runner->run(job));
    std::erase(unit.result.dependencies, standard_headers().path);
    if (has_cache() && unit.result.end == JobEnd::done && unit.result.has_dependencies) put_object(list_key, unit);
    return {};
  }

  bool take_object(const std::string& list_key, Unit& unit) const {
    const auto list = find(list_key);
    if (!list) return false;
    unit.key = object_key(list_key, *list, context_.files);
    auto record = find(unit.key);
    if (!record || record->size() != 2) {
      unit.key.clear();
      return false;
    }
    unit.cached = true;
    unit.result = {.end = JobEnd::done,
                   .artifact = std::move((*record)[0]),
                   .output = std::move((*record)[1]),
                   .dependencies = *list,
                   .strategy = CompileStrategy::cache};
    return true;
  }
  void put_object(const std::string& list_key, Unit& unit) const {
    put(list_key, unit.result.dependencies);
    unit.key = object_key(list_key, unit.result.dependencies, context_.files);
    put(unit.key, {unit.result.artifact, unit.result.output});
  }

  Result<void> add_unit(const Unit& unit) {
    files_.insert(unit.file);
    files_.insert(unit.result.dependencies.begin(), unit.result.dependencies.end());
    if (!unit.cached) build_.rebuilt.push_back(unit.file);
    return add_result(unit.result, unit.file, clang_diagnostics(unit.result.output));
  }

  void add_diagnostics(std::vector<Diagnostic> diagnostics) {
    std::ranges::move(diagnostics, std::back_inserter(build_.diagnostics));
  }

  Result<void> add_result(const JobResult& result, const std::string& file, std::vector<Diagnostic> diagnostics) {
    if (result.end == JobEnd::stopped) return fail(ErrorCode::cancelled, "the compile was stopped");
    if (result.strategy != CompileStrategy::cache && build_.strategy != CompileStrategy::jail) {
      build_.strategy = result.strategy;
    }
    build_.diagnostics_cut += result.output_cut;
    add_diagnostics(std::move(diagnostics));
    add_end(build_, file, result, context_.options);
    if (result.end != JobEnd::done && !build_.error) build_.error = error_of(build_.diagnostics, plan_);
    return {};
  }

  // Equal objects are linked to an equal module; empty if one of them has no key.
  std::string link_key() const {
    CacheKey key;
    key.add("link").add(identity_);
    for (const std::string& name : plan_.exports) key.add("export").add(name);
    for (const Unit& unit : units_) {
      if (unit.key.empty()) return {};
      key.add(unit.file).add(unit.key);
    }
    return key.hex();
  }

  bool take_linked(const std::string& key) {
    const auto record = find(key);
    if (!record || record->size() != 2) return false;
    build_.wasm = (*record)[0];
    link_messages_ = (*record)[1];
    add_diagnostics(linker_diagnostics(link_messages_));
    build_.cache_hit = build_.rebuilt.empty();
    return true;
  }

  Result<void> link() {
    const std::string key = link_key();
    if (!key.empty() && take_linked(key)) return {};
    ClangJob job{.output = ClangOutput::link, .exports = plan_.exports, .limits = job_limits(context_)};
    job.exports.emplace_back(kStateTable);
    for (Unit& unit : units_) {
      const ObjectSymbols symbols = symbols_of_object(unit.result.artifact);
      job.command = job.command || symbols.has_main;
      job.has_cpp = job.has_cpp || unit.language == ClangLanguage::cpp;
      std::ranges::copy(symbols.functions, std::back_inserter(job.exports));
      job.files.push_back({unit.file + ".o", std::make_shared<const std::string>(std::move(unit.result.artifact))});
    }
    PETRI_TRY(JobResult result, clang_.runner->run(job));
    link_messages_ = result.output;
    PETRI_TRY(add_result(result, plan_.place, linker_diagnostics(result.output)));
    if (build_.error) return {};
    build_.wasm = with_line_table(result.artifact);
    if (!key.empty()) put(key, {build_.wasm, link_messages_});
    return {};
  }

  const ModulePlan& plan_;
  const BuildContext& context_;
  const std::string identity_;
  const CacheFolder cache_;
  ReadyClang clang_;
  std::vector<Unit> units_;
  std::set<std::string> files_;
  std::string link_messages_;
  ModuleBuild build_;
};

}  // namespace

Result<ModuleBuild> build_by_clang(const ModulePlan& plan, const BuildContext& context) {
  PETRI_TRY(ClangToolchain toolchain, find_clang_toolchain());
  for (const JobFile& header : guest_headers()) toolchain.identity += *header.bytes;
  return ClangBuild(plan, context, std::move(toolchain.identity)).run();
}

}  // namespace petri
