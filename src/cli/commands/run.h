// petri run FILE: a fresh instance of a module, one call, gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/artifact.h"
#include "petri/limits.h"
#include "petri/policy.h"
#include "petri/tier.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct RunOptions {
  std::string file;                     // "-": stdin
  std::optional<std::string> function;  // absent: `_start`, or the only exported function
  std::vector<std::string> arguments;   // as text: only the module knows their types
  std::optional<std::string> input;     // a file, or "-" for stdin
  Limits limits{.module_bytes_max = kProgramBytesMax};
  Permissions permissions{Permission::log, Permission::clock, Permission::random, Permission::file_read};
  Tier tier = Tier::interpreted;
  std::uint64_t seed = 0;
  bool deterministic = false;
  std::string folder;
  std::map<std::string, std::string> environment;
  std::vector<std::string> program_arguments;                       // what follows "--"
  MachineCodeOptions compile{.time_max = std::chrono::minutes(1)};  // a program of some MB takes ten seconds or more
  bool quiet = false;
  bool json = false;
};

// Declares the subcommand; parsing then fills `options`, which must outlive the app.
CLI::App* add_run(CLI::App& app, RunOptions& options);

ExitCode execute(const RunOptions& options, Console& console);

}  // namespace petri::cli
