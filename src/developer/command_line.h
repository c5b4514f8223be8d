// Parses the words after `petri-dev`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "developer/bench.h"
#include "developer/candidates.h"
#include "developer/tables.h"
#include "petri/result.h"

namespace petri::developer {

struct HelpText {
  std::string text;
};

using Command = std::variant<HelpText, TablesOptions, BenchOptions, CandidatesOptions>;

// Reads the arguments without the program's own name. What makes no sense is validation_failed, in one sentence that
// names the word.
Result<Command> parse_command_line(const std::vector<std::string>& arguments);

cli::ExitCode execute(const Command& command, cli::Console& console);

}  // namespace petri::developer
