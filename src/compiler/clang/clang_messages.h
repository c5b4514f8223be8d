// Messages of clang and lld, read into diagnostics.
#pragma once

#include <string_view>
#include <vector>

#include "petri/compile.h"

namespace petri {

// Lines that are no message of the compiler about a source are left out: excerpts, counts, stack traces of a crash.
// Paths that are not the source's own are reduced to their last part, so that no diagnostic names a path of this
// machine.
std::vector<Diagnostic> clang_diagnostics(std::string_view messages);
// The linker's; object files are named as their sources with ".o".
std::vector<Diagnostic> linker_diagnostics(std::string_view messages);

// "cannot read /usr/include/wasm32-wasi/stdio.h" without its folders.
std::string without_host_paths(std::string_view text);

}  // namespace petri
