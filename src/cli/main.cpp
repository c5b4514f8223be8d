// The command `petri`.
#include "cli/command_error.h"
#include "cli/command_line.h"
#include "cli/parsing.h"
#include "cli/program.h"

namespace petri::cli {
namespace {

ExitCode run_command(const std::vector<std::string>& arguments, Console& console) {
  const auto command = parse_command_line(arguments);
  return command ? execute(*command, console) : report_error(command.error(), asks_for_json(arguments), console);
}

}  // namespace
}  // namespace petri::cli

int main(int argc, char** argv) { return petri::cli::run_program(argc, argv, petri::cli::run_command); }
