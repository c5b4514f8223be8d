#include "developer/command_line.h"

#include <CLI/CLI.hpp>

#include "cli/parsing.h"

namespace petri::developer {
namespace {

struct Grammar {
  Grammar();
  CLI::App app{"petri-dev measures petri and writes its reference pages; it is for those who work on petri.",
               "petri-dev"};
  TablesOptions tables;
  BenchOptions bench;
  CandidatesOptions candidates;
  CLI::App* tables_command;
  CLI::App* bench_command;
  CLI::App* candidates_command;

  Command command() const;
};

Grammar::Grammar()
    : tables_command(add_tables(app, tables)),
      bench_command(add_bench(app, bench)),
      candidates_command(add_candidates(app, candidates)) {
  app.require_subcommand(0, 1);
  app.footer("Each command has its own --help.\n\nExample: petri-dev bench prepare_us");
  for (CLI::App* command : {tables_command, bench_command, candidates_command})
    command->get_formatter()->column_width(34);
}

Command Grammar::command() const {
  if (tables_command->parsed()) return tables;
  if (candidates_command->parsed()) return candidates;
  BenchOptions options = bench;
  options.names = bench_command->remaining();
  return options;
}

}  // namespace

Result<Command> parse_command_line(const std::vector<std::string>& arguments) {
  Grammar grammar;
  PETRI_TRY(const cli::Parsed parsed, cli::parse(grammar.app, arguments));
  const CLI::App& named = cli::named_command(grammar.app);
  if (parsed == cli::Parsed::help) return HelpText{cli::help_of(named)};
  if (parsed == cli::Parsed::unexpected_word) return cli::refuse_unexpected(grammar.app);
  if (&named == &grammar.app) return cli::refuse_usage(named, "petri-dev needs a command: tables, bench or candidates");
  return grammar.command();
}

cli::ExitCode execute(const Command& command, cli::Console& console) {
  if (const auto* tables = std::get_if<TablesOptions>(&command)) return execute(*tables, console);
  if (const auto* bench = std::get_if<BenchOptions>(&command)) return execute(*bench, console);
  if (const auto* candidates = std::get_if<CandidatesOptions>(&command)) return execute(*candidates, console);
  console.out.write(std::get<HelpText>(command).text);
  return cli::ExitCode::ok;
}

}  // namespace petri::developer
