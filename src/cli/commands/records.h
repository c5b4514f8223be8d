// petri records FILE -o OUT: a records file in the other form.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/records.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ConvertOptions {
  std::string file;
  std::string output;               // "-": standard output
  std::optional<RecordsForm> form;  // nullopt: as the name of the output says
  bool json = false;
};

CLI::App* add_records(CLI::App& app, ConvertOptions& options);

ExitCode execute(const ConvertOptions& options, Console& console);

}  // namespace petri::cli
