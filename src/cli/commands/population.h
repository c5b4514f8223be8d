// petri population list|show|lineage|export|import: a population file, looked at and filled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/population.h"

namespace CLI {
class App;
}

namespace petri::cli {

enum class PopulationAction : std::uint8_t { list, show, lineage, export_lines, import_lines };

struct PopulationOptions {
  PopulationAction action = PopulationAction::list;
  std::string file;
  std::string name;  // of the population; empty: the only one of the file
  // The options of list,
  std::string label;
  std::uint64_t generation = 0, top = 0, offset = 0, limit = PopulationQuery{}.limit;
  bool has_generation = false, has_top = false, has_limit = false, kept = false;
  // the options of show and lineage,
  std::vector<std::string> ids;
  bool descendants = false;
  // and the options of export and import.
  std::string lines;
  bool dot = false;
  bool missing_parents = false;
  bool json = false;
};

// The command with a command for each action.
CLI::App* add_population(CLI::App& app, PopulationOptions& options);

ExitCode execute(const PopulationOptions& options, Console& console);

}  // namespace petri::cli
