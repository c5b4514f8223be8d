// petri version: what was built from what.
#pragma once

#include <string_view>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct VersionOptions {
  bool json = false;
};

// "0.1.0"
std::string_view petri_version();

CLI::App* add_version(CLI::App& app, VersionOptions& options);

ExitCode execute(const VersionOptions& options, Console& console);

}  // namespace petri::cli
