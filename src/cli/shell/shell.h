// petri shell: sandboxes of one runtime, by commands that are typed or read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ShellOptions {
  std::string file;                    // empty, or "-": stdin
  std::optional<std::string> command;  // lines to carry out in place of a file's
  bool json = false;
  bool echo = false;
  bool stop_on_error = false;
  std::uint64_t workers = 0;
  std::string audit_file;
};

// Declares the subcommand; parsing then fills `options`, which must outlive the app.
CLI::App* add_shell(CLI::App& app, ShellOptions& options);

// At a terminal: ok, however the commands ended. Else the exit code of the first command that failed.
ExitCode execute(const ShellOptions& options, Console& console);

}  // namespace petri::cli
