// petri.json at the top of a folder: which sources are which module, and how they are compiled.
#pragma once

#include <vector>

#include "compiler/language.h"
#include "compiler/source_files.h"
#include "petri/compile.h"

namespace petri {

inline constexpr const char* kProjectFile = "petri.json";

// The modules that the file names, and no others; empty if there is no file or it names none. validation_failed says
// all that is wrong: a source that is not there, a flag outside the list, an unknown field.
//   {"modules": {"adder": {"sources": ["adder.c", "lib/sum.c"], "optimise": "s", "flags": ["-Wall"],
//                          "include_folders": ["lib"], "exports": ["table"]}}}
Result<std::vector<ModulePlan>> plan_by_project_file(const SourceFiles& files, const CompileOptions& options);

}  // namespace petri
