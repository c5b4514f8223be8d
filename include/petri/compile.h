// Compiles source code into artifacts: wat in this process, C, C++, AssemblyScript and Rust by their own compilers in a
// jail. docs/guides/compile.md shows it. The machine code of the compiled tier is something else: tier.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/compile_report.h"
#include "petri/result.h"
#include "petri/source.h"

namespace petri {

// The way in which sources are compiled, and its bounds.
struct CompileOptions {
  std::string language;            // for text of a file whose name does not say; empty: by the name
  std::string optimise = "2";      // 0, 1, 2, 3, s or z
  std::vector<std::string> flags;  // further flags of the closed list in docs/guides/compile.md
  bool warnings_are_errors = false;
  bool precompiled_header = true;  // of the C++ standard library, where the source includes one of its headers

  std::chrono::nanoseconds time_max = std::chrono::seconds(30);
  std::uint64_t memory_bytes_max = std::uint64_t{512} << 20;   // of one compiler process
  std::uint64_t source_bytes_max = std::uint64_t{16} << 20;    // of one file; a folder may have four times as many
  std::uint64_t artifact_bytes_max = std::uint64_t{16} << 20;  // of one module
  ModuleBounds bounds = ModuleBounds::candidate;               // that the modules are checked by
  std::size_t output_bytes_max = std::size_t{64} << 10;        // of one compiler's messages; the rest is cut
  unsigned jobs = 0;                                           // compilers at a time; 0: one a core

  // Without bubblewrap compilers that are programs refuse; this runs them with the rights of this process, with a
  // warning in every report.
  bool allow_unjailed = false;

  bool cache = true;
  std::string cache_folder;  // empty: petri/compile in $XDG_CACHE_HOME, else in ~/.cache
  std::uint64_t cache_bytes_max = std::uint64_t{512} << 20;

  std::stop_token stop;  // ends the compilers; the error is `cancelled`
};

// Flags, optimisation and bounds, in one validation_failed.
Result<void> check_compile_options(const CompileOptions& options);

// An Error says that nothing was compiled: validation_failed (an unknown language, a flag outside the list, an empty
// folder), io_error, permission_denied (there is no bubblewrap), compilation_failed (the compiler is not installed),
// cancelled. What a compiler found is in the report. Any thread.
Result<CompileReport> compile(const Source& source, const CompileOptions& options = {});

// "the folder has 3 modules where one is wanted; ..."
std::string several_modules_sentence(const CompileReport& report);

// The one artifact of a source that is not a folder; the error that a caller passes on.
Result<ArtifactPtr> compile_module(const Source& source, const CompileOptions& options = {});

// The languages, in the order in which errors list them, and the endings of their files.
struct SourceLanguage {
  std::string name;
  std::vector<std::string> endings;  // ".c"
};
const std::vector<SourceLanguage>& source_languages();
// By the ending of a file's name; nullptr if no language has it.
const SourceLanguage* language_of_file(std::string_view path);

// The cache of this user, or in this folder. Counters are of this process, sizes of all that share the folder.
struct CompileCacheInfo {
  std::string folder;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_max = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t damaged = 0;  // entries whose checksum was wrong
};
Result<CompileCacheInfo> compile_cache_info(const CompileOptions& options = {});
// Removes all entries and sets the counters to 0.
Result<CompileCacheInfo> clear_compile_cache(const CompileOptions& options = {});

}  // namespace petri
