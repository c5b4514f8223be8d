// The command lines of clang and lld for a job.
#pragma once

#include <string>
#include <vector>

#include "compiler/clang/toolchain.h"
#include "compiler/clang_job.h"

namespace petri {

// Where jails see the folder of precompiled headers.
inline constexpr const char* kHeaderFolder = "/headers";

// Names of results in ../out.
inline constexpr const char* kArtifactResult = "artifact";
inline constexpr const char* kDependenciesResult = "dependencies";

// The arguments for a source or a header. `headers` is the folder of precompiled headers as the compiler sees it.
std::vector<std::string> clang_arguments(const ClangJob& job, const ClangToolchain& toolchain,
                                         const WasiPlatform& platform, const std::string& headers);
std::vector<std::string> linker_arguments(const ClangJob& job, const ClangToolchain& toolchain,
                                          const WasiPlatform& platform);

// The files of a list as `make` reads it, "x: a.c lib/b.h", without the first and without system headers.
std::vector<std::string> files_of_dependency_list(std::string_view list);

// A path as it may stand on a command line: "./-x.c".
std::string path_argument(const std::string& path);

}  // namespace petri
