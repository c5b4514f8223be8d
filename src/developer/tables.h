// petri-dev tables NAME: a page of docs/reference, made from the code it describes.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::developer {

struct TablesOptions {
  std::string name;  // empty: their names
};

CLI::App* add_tables(CLI::App& app, TablesOptions& options);

cli::ExitCode execute(const TablesOptions& options, cli::Console& console);

}  // namespace petri::developer
