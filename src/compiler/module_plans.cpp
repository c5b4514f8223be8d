#include "compiler/module_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/escape.h"
#include "compiler/project_file.h"

namespace petri {
namespace {

bool is_clang(std::string_view language) { return language == "c" || language == "cpp"; }

ModulePlan empty_plan(std::string module, std::string place, const CompileOptions& options) {
  return {.module = std::move(module),
          .language = {},
          .sources = {},
          .place = std::move(place),
          .optimise = options.optimise,
          .flags = options.flags,
          .include_folders = {},
          .exports = {}};
}

using Plans = std::map<std::string, ModulePlan>;

Result<void> add_source(Plans& plans, const std::string& path, const CompileOptions& options) {
  const SourceLanguage* const language = language_of_file(path);
  if (language == nullptr) return {};
  const std::size_t slash = path.find('/');
  const bool at_top = slash == std::string::npos;
  const std::string place = at_top ? path : path.substr(0, slash);
  const std::string module = at_top ? stem_of(path) : place;
  const auto [found, is_new] = plans.try_emplace(module, empty_plan(module, place, options));
  ModulePlan& plan = found->second;
  if (!is_new && plan.place != place) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{} and {} are both the module {}; rename one of them, or name the modules in petri.json",
                            escape_text(plan.place), escape_text(place), in_quotes(module)));
  }
  plan.sources.push_back(path);
  return add_language(plan, language->name);
}

}  // namespace

Result<void> add_language(ModulePlan& plan, const std::string& language) {
  if (plan.language.empty() || plan.language == language) {
    plan.language = language;
  } else if (is_clang(plan.language) && is_clang(language)) {
    plan.language = "cpp";
  } else {
    return fail(
        ErrorCode::validation_failed,
        fmt::format("the module {} has sources in {} and in {}, which petri cannot link; put each language into "
                    "a module of its own",
                    in_quotes(plan.module), plan.language, language));
  }
  return {};
}

ModulePlan plan_file(const std::string& file, const Language& language, const CompileOptions& options) {
  ModulePlan plan = empty_plan(stem_of(file), file, options);
  plan.language = language.facts().name;
  plan.sources.push_back(file);
  return plan;
}

Result<std::vector<ModulePlan>> plan_folder(const SourceFiles& files, const CompileOptions& options) {
  PETRI_TRY(std::vector<ModulePlan> named, plan_by_project_file(files, options));
  if (!named.empty()) return named;
  Plans plans;
  for (const auto& [path, bytes] : files.all()) PETRI_TRY(add_source(plans, path, options));
  if (plans.empty()) {
    std::string endings;
    for (const SourceLanguage& language : source_languages()) {
      for (const std::string& ending : language.endings) endings += (endings.empty() ? "" : ", ") + ending;
    }
    return fail(ErrorCode::validation_failed,
                fmt::format("the folder has no sources; files are compiled that end in {}", endings));
  }
  std::vector<ModulePlan> in_order;
  for (auto& [module, plan] : plans) in_order.push_back(std::move(plan));
  return in_order;
}

}  // namespace petri
