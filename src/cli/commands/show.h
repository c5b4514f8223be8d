// petri show FILE --row N|--best: one record as a person or a model reads it: the program, its cases, their outcomes.
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

struct ShowOptions {
  std::string file;
  std::optional<std::uint64_t> row;
  bool best = false;
  bool json = false;
};

CLI::App* add_show(CLI::App& app, ShowOptions& options);

ExitCode execute(const ShowOptions& options, Console& console);

}  // namespace petri::cli
