// The report of a compile of source code: petri/compile.h makes it, and the info of a sandbox shows the last one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/result.h"

namespace petri {

// How severe a diagnostic is; an error means that there is no artifact.
enum class DiagnosticSeverity : std::uint8_t { note, warning, error };
std::string_view name_of(DiagnosticSeverity severity);

// syntax: the text cannot be read; compile: it can, and is wrong; dependency: a file, a library or a symbol is missing;
// limit: a limit of the jail ended the compiler.
enum class DiagnosticKind : std::uint8_t { syntax, compile, dependency, limit };
std::string_view name_of(DiagnosticKind kind);

// `file` is the name that the caller gave, or a path inside the folder; never a path of this machine. Lines and columns
// count from 1; 0 where the compiler names none.
struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  DiagnosticSeverity severity = DiagnosticSeverity::error;
  DiagnosticKind kind = DiagnosticKind::compile;
  std::string message;
  bool operator==(const Diagnostic&) const = default;
};

// "adder.c:3:10: error: use of undeclared identifier 'x'"
std::string line_of(const Diagnostic& diagnostic);

// One module of a source: a file of its own, or a subfolder.
struct CompiledSource {
  std::string module;                       // the stem of the file, or the name of the folder
  std::string language;                     // "wat", "c", "cpp", "assemblyscript", "rust"
  std::string file;                         // the source, or the subfolder, as the caller can find it
  ArtifactPtr artifact;                     // nullptr if it failed
  std::shared_ptr<const std::string> text;  // the source, if it is one file
  bool cache_hit = false;                   // nothing was compiled
  std::vector<std::string> files;           // all that it consists of inside the folder, headers too
  std::vector<std::string> rebuilt;         // those files that were compiled now
  std::optional<Error> error;               // why there is no artifact
};

// The end of a compilation: all modules of a source were compiled, or not.
enum class CompileOutcome : std::uint8_t { compiled, failed };
std::string_view name_of(CompileOutcome outcome);

// How compilers ran: in this process, each in a jail of its own, in the warm server's jail, or without any jail. cache:
// none ran.
enum class CompileStrategy : std::uint8_t { in_process, jail, server, unjailed, cache };
std::string_view name_of(CompileStrategy strategy);

// The report of a compilation.
struct CompileReport {
  CompileOutcome status = CompileOutcome::failed;
  std::vector<CompiledSource> modules;  // by name; in a folder, those that others import from come first
  std::vector<Diagnostic> diagnostics;  // errors first within a module
  std::size_t diagnostics_cut = 0;      // bytes of messages beyond output_bytes_max
  std::size_t warnings = 0;
  std::size_t errors = 0;
  std::size_t files_compiled = 0;
  bool cache_hit = false;  // of all modules
  CompileStrategy strategy = CompileStrategy::in_process;
  std::chrono::nanoseconds duration{};
  std::optional<Error> error;  // of a failed compile: the first module's
};

}  // namespace petri
