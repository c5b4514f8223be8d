// petri watch FOLDER|FILE: runs what its sources are, and reloads it whenever they are saved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/watch.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct WatchOptions {
  std::string source;  // a file or a folder
  std::vector<std::string> patterns;
  std::chrono::nanoseconds debounce = WatchSpec().debounce;
  bool json = false;
};

CLI::App* add_watch(CLI::App& app, WatchOptions& options);

ExitCode execute(const WatchOptions& options, Console& console);

}  // namespace petri::cli
