#include "compiler/project_file.h"

#include <algorithm>

#include "base/complaints.h"
#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"
#include "base/text/escape.h"
#include "compiler/clang_flags.h"
#include "compiler/module_plans.h"

namespace petri {
namespace {

constexpr std::size_t kProjectBytesMax = std::size_t{1} << 20;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         escape_text(name) == name;
}

// A name of C, as it may stand on the command line of a linker.
bool is_export(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
  });
}

bool is_folder_inside(const std::string& path, const SourceFiles& files) {
  return path == "." ||
         std::ranges::any_of(files.all(), [&](const auto& file) { return file.first.starts_with(path + "/"); });
}

class ProjectReader {
 public:
  ProjectReader(const SourceFiles& files, const CompileOptions& options, Complaints& complaints)
      : files_(files), options_(options), complaints_(complaints) {}

  std::vector<ModulePlan> read(const nlohmann::json& json) {
    JsonReader(json, complaints_, "").fields({{"modules", [this](const JsonReader& modules) {
                                                 modules.members(
                                                     [this](const std::string& name, const JsonReader& module) {
                                                       read_module(name, module);
                                                     });
                                               }}});
    return std::move(plans_);
  }

 private:
  void read_module(const std::string& name, const JsonReader& module) {
    ModulePlan plan{.module = name, .optimise = options_.optimise, .flags = options_.flags};
    std::vector<std::string> flags;
    module.fields({{"sources", JsonReader::into(plan.sources)},
                   {"optimise", JsonReader::into(plan.optimise)},
                   {"flags", JsonReader::into(flags)},
                   {"include_folders", JsonReader::into(plan.include_folders)},
                   {"exports", JsonReader::into(plan.exports)}});
    plan.flags.insert(plan.flags.end(), flags.begin(), flags.end());
    plan.place = plan.sources.size() == 1 ? plan.sources.front() : name;
    check(plan);
    plans_.push_back(std::move(plan));
  }

  void check(ModulePlan& plan) {
    const std::string where = "modules." + escape_text(plan.module, kWordShownBytesMax);
    if (!is_plain_name(plan.module)) complaints_.add(where, "is no name of a module");
    if (plan.sources.empty()) complaints_.add(where + ".sources", "names no source");
    if (!is_optimisation(plan.optimise)) complaints_.add(where + ".optimise", "is not one of 0, 1, 2, 3, s and z");
    for (const std::string& flag : plan.flags) {
      if (const std::string why = flag_refusal(flag); !why.empty()) complaints_.add_sentence(where + ".flags", why);
    }
    for (const std::string& folder : plan.include_folders) {
      if (!is_folder_inside(folder, files_))
        complaints_.add(where + ".include_folders", in_quotes(folder) + " is no folder here");
    }
    for (const std::string& name : plan.exports) {
      if (!is_export(name)) complaints_.add(where + ".exports", in_quotes(name) + " is no name of a function");
    }
    for (const std::string& source : plan.sources) check_source(plan, source, where + ".sources");
  }

  void check_source(ModulePlan& plan, const std::string& source, const std::string& where) {
    const SourceLanguage* const language = language_of_file(source);
    if (files_.find(source) == nullptr || language == nullptr) {
      complaints_.add_sentence(where, in_quotes(source) + " is no source in this folder");
      return;
    }
    if (const auto added = add_language(plan, language->name); !added) {
      complaints_.add_sentence(where, added.error().message);
    }
  }

  const SourceFiles& files_;
  const CompileOptions& options_;
  Complaints& complaints_;
  std::vector<ModulePlan> plans_;
};

}  // namespace

Result<std::vector<ModulePlan>> plan_by_project_file(const SourceFiles& files, const CompileOptions& options) {
  const auto text = files.find(kProjectFile);
  if (text == nullptr) return std::vector<ModulePlan>{};
  const auto json = parse_json(*text, {.bytes_max = kProjectBytesMax});
  if (!json) return fail(json.error().error(kProjectFile));
  Complaints complaints;
  std::vector<ModulePlan> plans = ProjectReader(files, options, complaints).read(*json);
  PETRI_TRY(complaints.result(ErrorCode::validation_failed, "petri.json cannot be used"));
  return plans;
}

}  // namespace petri
