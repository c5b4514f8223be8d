// petri tables NAME: a page of docs/reference, made from the code it describes.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct TablesOptions {
  std::string name;  // empty: their names
};

CLI::App* add_tables(CLI::App& app, TablesOptions& options);

ExitCode execute(const TablesOptions& options, Console& console);

}  // namespace petri::cli
