// petri version: what was built from what.
#pragma once

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct VersionOptions {
  bool json = false;
};

CLI::App* add_version(CLI::App& app, VersionOptions& options);

ExitCode execute(const VersionOptions& options, Console& console);

}  // namespace petri::cli
