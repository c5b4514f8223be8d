// petri new NAME: a folder with a guest that works, its test and its petri.json.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct NewOptions {
  std::string folder;  // its last part is the name of the module
  std::string language = "c";
  bool json = false;
};

CLI::App* add_new(CLI::App& app, NewOptions& options);

ExitCode execute(const NewOptions& options, Console& console);

}  // namespace petri::cli
