// The program `petri-dev`.
#include "cli/command_error.h"
#include "cli/parsing.h"
#include "cli/program.h"
#include "developer/command_line.h"

namespace petri::developer {
namespace {

cli::ExitCode run_command(const std::vector<std::string>& arguments, cli::Console& console) {
  const auto command = parse_command_line(arguments);
  if (command) return execute(*command, console);
  return cli::report_error(command.error(), cli::asks_for_json(arguments), console);
}

}  // namespace
}  // namespace petri::developer

int main(int argc, char** argv) { return petri::cli::run_program(argc, argv, petri::developer::run_command); }
