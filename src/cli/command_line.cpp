#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "cli/manual/man_page.h"
#include "cli/number_arguments.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

// The app and everything it fills, made new for each parse: CLI11 keeps what it has seen.
struct Grammar {
  Grammar();
  CLI::App app{"petri runs programs nobody has reviewed, inside limits that hold.", "petri"};
  RunOptions run;
  CompileCommandOptions compile;
  CacheOptions cache;
  NewOptions new_guest;
  InspectOptions inspect;
  ScanOptions scan;
  EvaluateOptions evaluate;
  VerifyFileOptions verify;
  ConvertOptions records;
  ShowOptions show;
  ReportPageOptions report;
  PopulationOptions population;
  ShellOptions shell;
  WatchOptions watch;
  AuditVerifyOptions audit_verify;
  ManualOptions manual;
  CompletionOptions completion;
  VersionOptions version;
  std::vector<std::string> help;
  bool version_flag = false;
  CLI::App* run_command;
  CLI::App* compile_command;
  CLI::App* cache_command;
  CLI::App* cache_show_command;
  CLI::App* cache_clear_command;
  CLI::App* new_command;
  CLI::App* inspect_command;
  CLI::App* scan_command;
  CLI::App* evaluate_command;
  CLI::App* verify_command;
  CLI::App* records_command;
  CLI::App* show_command;
  CLI::App* report_command;
  CLI::App* population_command;
  std::vector<CLI::App*> population_commands;
  CLI::App* shell_command;
  CLI::App* watch_command;
  CLI::App* audit_command;
  CLI::App* audit_verify_command;
  CLI::App* manual_command;
  CLI::App* completion_command;
  CLI::App* version_command;
  CLI::App* help_command;

  std::vector<CLI::App*> commands() const {
    std::vector<CLI::App*> all{run_command,         compile_command,   cache_command,   cache_show_command,
                               cache_clear_command, new_command,       inspect_command, scan_command,
                               evaluate_command,    verify_command,    records_command, show_command,
                               report_command,      population_command};
    all.insert(all.end(), population_commands.begin(), population_commands.end());
    all.insert(all.end(), {shell_command, watch_command, audit_command, audit_verify_command, manual_command,
                           completion_command, version_command, help_command});
    return all;
  }
  Command command() const;
};

// petri help COMMAND is read in parse_command_line(); here it stands for help, manual and completions.
CLI::App* add_help(CLI::App& app, std::vector<std::string>& words) {
  CLI::App* command = app.add_subcommand("help", "Prints the help of a command, as its --help does");
  command->add_option("COMMAND", words, "Such as run or audit verify; without it, petri itself")->type_name("");
  command->footer("Example: petri help run");
  return command;
}

Grammar::Grammar()
    : run_command(add_run(app, run)),
      compile_command(add_compile(app, compile)),
      cache_command(add_cache(app, cache)),
      cache_show_command(cache_command->get_subcommand("show")),
      cache_clear_command(cache_command->get_subcommand("clear")),
      new_command(add_new(app, new_guest)),
      inspect_command(add_inspect(app, inspect)),
      scan_command(add_scan(app, scan)),
      evaluate_command(add_evaluate(app, evaluate)),
      verify_command(add_verify(app, verify)),
      records_command(add_records(app, records)),
      show_command(add_show(app, show)),
      report_command(add_report(app, report)),
      population_command(add_population(app, population)),
      population_commands(population_command->get_subcommands([](const CLI::App*) { return true; })),
      shell_command(add_shell(app, shell)),
      watch_command(add_watch(app, watch)),
      audit_command(add_audit(app, audit_verify)),
      audit_verify_command(audit_command->get_subcommand("verify")),
      manual_command(add_manual(app, manual)),
      completion_command(add_completion(app, completion)),
      version_command(add_version(app, version)),
      help_command(add_help(app, help)) {
  app.require_subcommand(0, 1);
  app.add_flag("--version", version_flag, "The same as the command version");
  app.footer(
      "petri help COMMAND explains one of them, and man petri-COMMAND too.\n\nExample: petri run add.wat --call add "
      "--args 2 3");
  for (CLI::App* command : commands()) {
    command->get_formatter()->column_width(34);
    command->get_formatter()->label("Positionals", "Arguments");
    command->get_formatter()->label("REQUIRED", "(required)");
  }
}

Command Grammar::command() const {
  if (run_command->parsed()) return run;
  if (compile_command->parsed()) return compile;
  if (cache_show_command->parsed() || cache_clear_command->parsed()) return cache;
  if (new_command->parsed()) return new_guest;
  if (inspect_command->parsed()) return inspect;
  if (scan_command->parsed()) return scan;
  if (evaluate_command->parsed()) {
    EvaluateOptions options = evaluate;
    options.candidates = evaluate_command->remaining();
    return options;
  }
  if (verify_command->parsed()) return verify;
  if (records_command->parsed()) return records;
  if (show_command->parsed()) return show;
  if (report_command->parsed()) return report;
  if (population_command->parsed()) return population;
  if (shell_command->parsed()) return shell;
  if (watch_command->parsed()) return watch;
  if (audit_verify_command->parsed()) return audit_verify;
  if (manual_command->parsed()) return manual;
  if (completion_command->parsed()) return completion;
  return version;
}

std::unexpected<Error> refuse_word(const Grammar& grammar) {
  const CLI::App& command = named_command(grammar.app);
  if (&command == grammar.run_command && !grammar.run.arguments.empty() &&
      !first_unexpected(grammar.app).starts_with('-')) {
    return refuse_usage(command, fmt::format("{} is neither a number, as --args expects, nor an option",
                                             argument_shown(first_unexpected(grammar.app))));
  }
  return refuse_unexpected(grammar.app);
}

std::vector<std::string> names_of_commands(const Grammar& grammar) {
  std::vector<std::string> names;
  for (const CLI::App* command : grammar.app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

HelpText help_text(const CLI::App& command) { return {help_of(command, usage_of(describe(command)))}; }

// Checks that are possible only once all words are read.
Result<void> check_complete(const Grammar& grammar) {
  const CLI::App& command = named_command(grammar.app);
  if (&command == &grammar.app && !grammar.version_flag) {
    return refuse_usage(command, fmt::format("petri needs a command: {}", fmt::join(names_of_commands(grammar), ", ")));
  }
  if (&command == grammar.cache_command) return refuse_usage(command, "petri cache needs a command: show or clear");
  if (&command == grammar.population_command) {
    return refuse_usage(command, "petri population needs a command: list, show, lineage, export or import");
  }
  if (&command == grammar.audit_command) return refuse_usage(command, "petri audit needs a command: verify");
  if (&command == grammar.evaluate_command && command.remaining().empty())
    return refuse_usage(command, "there is nothing to evaluate: name files or folders");
  return {};
}

Result<Command> parse_words(Grammar& grammar, std::vector<std::string> words) {
  PETRI_TRY(const Parsed parsed, parse(grammar.app, std::move(words)));
  if (parsed == Parsed::help) return help_text(named_command(grammar.app));
  if (parsed == Parsed::unexpected_word) return refuse_word(grammar);
  PETRI_TRY(check_complete(grammar));
  return grammar.command();
}

// Commands that petri had once, and that people still type.
Result<void> check_moved(const std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "bench" && arguments[0] != "tables")) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("petri {0} is now petri-dev {0}, a program for petri's developers: in a clone of petri, "
                          "make petri-dev builds it",
                          arguments[0]));
}

// `petri manual COMMAND` takes the name of any command, which only the whole grammar knows.
void offer_commands(CommandDescription& description, const Grammar& grammar) {
  for (ArgumentDescription& argument : description.arguments) {
    if (argument.name != "COMMAND") continue;
    argument.value.kind = ValueKind::word;
    for (const CLI::App* command : grammar.commands())
      argument.value.words.push_back(page_name(describe(*command).path()));
  }
}

}  // namespace

Result<Command> parse_command_line(const std::vector<std::string>& arguments) {
  PETRI_TRY(check_moved(arguments));
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfWords);
  Grammar grammar;
  if (!arguments.empty() && arguments.front() == "help") {
    PETRI_TRY(const CLI::App* command, command_named(grammar.app, std::span(arguments).subspan(1)));
    return help_text(*command);
  }
  PETRI_TRY(Command command, parse_words(grammar, bind_number_arguments({arguments.begin(), end})));
  if (end == arguments.end()) return command;
  if (auto* run = std::get_if<RunOptions>(&command)) {
    run->program_arguments.assign(end + 1, arguments.end());
  } else if (!std::holds_alternative<HelpText>(command)) {
    return refuse_usage(named_command(grammar.app), "only petri run takes arguments after --");
  }
  return command;
}

std::vector<HelpPage> help_pages() {
  const Grammar grammar;
  std::vector<HelpPage> pages{{"petri", help_text(grammar.app).text}};
  for (const CLI::App* command : grammar.commands()) pages.push_back({words_for(*command), help_text(*command).text});
  return pages;
}

std::vector<CommandDescription> command_descriptions() {
  const Grammar grammar;
  std::vector<CommandDescription> descriptions{describe(grammar.app)};
  for (const CLI::App* command : grammar.commands()) descriptions.push_back(describe(*command));
  for (CommandDescription& description : descriptions) offer_commands(description, grammar);
  return descriptions;
}

ExitCode execute(const Command& command, Console& console) {
  if (const auto* help = std::get_if<HelpText>(&command)) {
    console.out.write(help->text);
    return ExitCode::ok;
  }
  if (const auto* run = std::get_if<RunOptions>(&command)) return execute(*run, console);
  if (const auto* compile = std::get_if<CompileCommandOptions>(&command)) return execute(*compile, console);
  if (const auto* cache = std::get_if<CacheOptions>(&command)) return execute(*cache, console);
  if (const auto* new_guest = std::get_if<NewOptions>(&command)) return execute(*new_guest, console);
  if (const auto* inspect = std::get_if<InspectOptions>(&command)) return execute(*inspect, console);
  if (const auto* scan = std::get_if<ScanOptions>(&command)) return execute(*scan, console);
  if (const auto* evaluate = std::get_if<EvaluateOptions>(&command)) return execute(*evaluate, console);
  if (const auto* verify = std::get_if<VerifyFileOptions>(&command)) return execute(*verify, console);
  if (const auto* records = std::get_if<ConvertOptions>(&command)) return execute(*records, console);
  if (const auto* show = std::get_if<ShowOptions>(&command)) return execute(*show, console);
  if (const auto* report = std::get_if<ReportPageOptions>(&command)) return execute(*report, console);
  if (const auto* shell = std::get_if<ShellOptions>(&command)) return execute(*shell, console);
  if (const auto* watch = std::get_if<WatchOptions>(&command)) return execute(*watch, console);
  if (const auto* audit = std::get_if<AuditVerifyOptions>(&command)) return execute(*audit, console);
  if (const auto* population = std::get_if<PopulationOptions>(&command)) return execute(*population, console);
  if (const auto* manual = std::get_if<ManualOptions>(&command)) return execute(*manual, console);
  if (const auto* completion = std::get_if<CompletionOptions>(&command)) return execute(*completion, console);
  return execute(std::get<VersionOptions>(command), console);
}

}  // namespace petri::cli
