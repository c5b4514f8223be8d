// The modules of a sandbox that a compiled source has code for.
#pragma once

#include <string>
#include <vector>

#include "petri/compile_report.h"
#include "petri/source.h"

namespace petri {

// A module of a sandbox, and where its code was read.
struct ModulePlace {
  std::string name;
  std::string path;  // as its caller wrote it; empty: it came as bytes or text
};

// The sources of a report as sources of modules of the sandbox, in the order of the report. A source belongs to the
// module that was read from its file or folder, else to the one of its name; one that belongs to none is left out.
// `path` is that of the file or folder that was compiled.
std::vector<ModuleSpec> modules_for(const CompileReport& report, const Source& source,
                                    const std::vector<ModulePlace>& modules);

// "the folder src has the modules a, b, and the sandbox has c: ..."
std::string no_module_sentence(const CompileReport& report, const Source& source,
                               const std::vector<ModulePlace>& modules);

}  // namespace petri
