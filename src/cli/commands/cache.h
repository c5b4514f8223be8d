// petri cache show|clear: what compilers made before.
#pragma once

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct CacheOptions {
  bool clear = false;
  bool json = false;
};

// The command with its two commands, show and clear.
CLI::App* add_cache(CLI::App& app, CacheOptions& options);

ExitCode execute(const CacheOptions& options, Console& console);

}  // namespace petri::cli
