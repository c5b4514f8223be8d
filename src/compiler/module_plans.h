// Divides a source into modules.
#pragma once

#include <vector>

#include "compiler/language.h"
#include "compiler/source_files.h"
#include "petri/compile.h"

namespace petri {

// A file at the top of the folder is a module named by its stem, a subfolder with sources is one module; petri.json at
// the top overrides both. validation_failed: no sources, two modules of one name, languages that cannot be linked.
Result<std::vector<ModulePlan>> plan_folder(const SourceFiles& files, const CompileOptions& options);

// Makes the language that of a further source: C and C++ are linked with one another, nothing else is mixed.
Result<void> add_language(ModulePlan& plan, const std::string& language);

// One source of one language is one module, named by its stem.
ModulePlan plan_file(const std::string& file, const Language& language, const CompileOptions& options);

}  // namespace petri
