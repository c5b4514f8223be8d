// petri inspect FILE: what a module is, needs and offers, without running any of it.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/artifact.h"
#include "petri/limits.h"
#include "petri/policy.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct InspectOptions {
  std::string file;  // "-": stdin
  Limits limits{.module_bytes_max = kProgramBytesMax};
  ModuleBounds bounds = ModuleBounds::program;
  Permissions permissions{Permission::log, Permission::clock, Permission::random, Permission::file_read};
  bool json = false;
};

CLI::App* add_inspect(CLI::App& app, InspectOptions& options);

ExitCode execute(const InspectOptions& options, Console& console);

}  // namespace petri::cli
