// petri manual [COMMAND]: manual pages. petri completion SHELL: a script that has a shell complete petri's words.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ManualOptions {
  std::string command;  // "run", "audit-verify"; empty: petri itself
  std::string folder;   // where all pages are written; empty: one is printed
};

struct CompletionOptions {
  std::string shell;
};

CLI::App* add_manual(CLI::App& app, ManualOptions& options);
CLI::App* add_completion(CLI::App& app, CompletionOptions& options);

ExitCode execute(const ManualOptions& options, Console& console);
ExitCode execute(const CompletionOptions& options, Console& console);

}  // namespace petri::cli
