// The part of main() that programs like `petri` have around their commands.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace petri::cli {

// Gives the arguments, without the program's own name, to `run` and returns what main() returns. Exceptions of
// libraries and output that cannot be written become an error in one sentence and its exit code.
int run_program(int argc, char** argv, ExitCode (*run)(const std::vector<std::string>& arguments, Console& console));

}  // namespace petri::cli
