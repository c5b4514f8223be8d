// petri compile FILE|FOLDER: source code to wasm, with what the compiler has to say.
#pragma once

#include <cstdint>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/compile.h"

namespace CLI {
class App;
}

namespace petri::cli {

// text: for people, with the lines of the source. lines: "file:line:column: severity: message" for editors. sarif:
// SARIF 2.1.0 for services that show findings.
enum class CompileFormat : std::uint8_t { text, json, lines, sarif };

struct CompileCommandOptions {
  std::string source;  // a file or a folder; "-": stdin, in `compile.language`
  std::string output;  // a file, or for a folder a folder; empty: nothing is written
  CompileFormat format = CompileFormat::text;
  bool no_cache = false;
  bool json = false;
  CompileOptions compile;
};

CLI::App* add_compile(CLI::App& app, CompileCommandOptions& options);

ExitCode execute(const CompileCommandOptions& options, Console& console);

}  // namespace petri::cli
