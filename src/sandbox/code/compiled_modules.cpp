#include "sandbox/code/compiled_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text/escape.h"

namespace petri {
namespace {

std::string plain(const std::filesystem::path& path) {
  std::error_code failed;
  const auto found = std::filesystem::weakly_canonical(path, failed);
  return failed ? path.string() : found.string();
}

// Where this module of the source can be found.
std::filesystem::path place_of(const CompiledSource& module, const Source& source) {
  const std::filesystem::path path(source.path());
  return source.kind() == Source::Kind::folder ? path / module.file : path;
}

const ModulePlace* module_of(const CompiledSource& compiled, const Source& source, bool only_one,
                             const std::vector<ModulePlace>& modules) {
  const std::string here = plain(place_of(compiled, source)), whole = plain(source.path());
  for (const ModulePlace& module : modules) {
    if (module.path.empty()) continue;
    const std::string place = plain(module.path);
    if (place == here || (only_one && place == whole)) return &module;
  }
  const auto named = std::ranges::find(modules, compiled.module, &ModulePlace::name);
  return named == modules.end() ? nullptr : &*named;
}

std::string names_of(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(escape_text(name, kWordShownBytesMax));
  return fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

std::vector<ModuleSpec> modules_for(const CompileReport& report, const Source& source,
                                    const std::vector<ModulePlace>& modules) {
  std::vector<ModuleSpec> specs;
  for (const CompiledSource& compiled : report.modules) {
    const ModulePlace* const module = module_of(compiled, source, report.modules.size() == 1, modules);
    if (module == nullptr || std::ranges::find(specs, module->name, &ModuleSpec::name) != specs.end()) continue;
    const std::string text = compiled.text == nullptr ? "" : *compiled.text;
    Source code = Source::compiled(compiled.artifact, compiled.language, text);
    specs.push_back(
        {.name = module->name, .source = std::move(code).read_from(place_of(compiled, source).string()), .needs = {}});
  }
  return specs;
}

std::string no_module_sentence(const CompileReport& report, const Source& source,
                               const std::vector<ModulePlace>& modules) {
  std::vector<std::string> compiled, present;
  for (const CompiledSource& module : report.modules) compiled.push_back(module.module);
  for (const ModulePlace& module : modules) present.push_back(module.name);
  return fmt::format("{} has the modules {} and the sandbox has {}; name a source after the module it is for",
                     escape_text(source.path(), kPathShownBytesMax), names_of(compiled), names_of(present));
}

}  // namespace petri
