// Files that the build made for benchmarks and put beside petri-dev.
#pragma once

#include <filesystem>
#include <string_view>

#include "bench/wasm_writer.h"
#include "petri/result.h"

namespace petri::bench {

// A file of the folder bench/files, and the target that makes it; io_error, saying how to make it, when it is not
// there.
Result<std::filesystem::path> build_file(std::string_view name, std::string_view target);

// Another program of the build, in the folder of this one; io_error, saying how to make it, when it is not there.
Result<std::filesystem::path> program_beside(std::string_view name);

// Some hundred KiB of C++ as clang -O2 makes them, without imports; exports "run".
Result<Bytes> ordinary_module();

}  // namespace petri::bench
