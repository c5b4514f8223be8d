// A language: its endings, and how one module in it is compiled. docs/guides/compile.md says how to add one.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source_files.h"
#include "petri/compile.h"

namespace petri {

class Toolbox;

// One module that is to be compiled.
struct ModulePlan {
  std::string module;
  std::string language;              // of its sources; a folder may mix c and cpp, and is cpp then
  std::vector<std::string> sources;  // paths in the source files
  std::string place;                 // the file or the subfolder, for the report
  std::string optimise;
  std::vector<std::string> flags;
  std::vector<std::string> include_folders;
  std::vector<std::string> exports;  // further names, beside the functions that the sources define
};

// The end of a plan. Without wasm or artifact it has failed, and has an error.
struct ModuleBuild {
  std::string wasm;
  ArtifactPtr artifact;  // of a language that makes one itself
  std::vector<Diagnostic> diagnostics;
  std::size_t diagnostics_cut = 0;
  std::vector<std::string> files;
  std::vector<std::string> rebuilt;
  bool cache_hit = false;
  CompileStrategy strategy = CompileStrategy::in_process;
  std::optional<Error> error;
};

// One compile: what all of its modules share. References outlive it.
struct BuildContext {
  const SourceFiles& files;
  const CompileOptions& options;
  std::chrono::steady_clock::time_point deadline;
  Toolbox& tools;
};

// Any thread, several modules at a time.
class Language {
 public:
  virtual ~Language() = default;
  virtual const SourceLanguage& facts() const = 0;
  // An Error says that nothing was compiled.
  virtual Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const = 0;
};

// One for each file in languages/: NAME.cpp there defines `const Language& NAME_language()`, and CMake makes the list.
const std::vector<const Language*>& languages();
// nullptr if there is none of this name.
const Language* language_named(std::string_view name);
// validation_failed lists those that there are.
Result<const Language*> find_language(std::string_view name);

}  // namespace petri
