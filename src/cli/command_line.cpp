#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "cli/number_arguments.h"
#include "cli/option_error.h"
#include "cli/report.h"

namespace petri::cli {
namespace {

constexpr std::string_view kEndOfOptions = "--";
constexpr std::string_view kPetri = "petri ";
constexpr std::size_t kWordBytesMax = 200;

// The app and everything it fills, made new for each parse: CLI11 keeps what it has seen.
struct Grammar {
  Grammar();
  CLI::App app{"petri runs programs nobody has reviewed, inside limits that hold.", "petri"};
  RunOptions run;
  InspectOptions inspect;
  ScanOptions scan;
  EvaluateOptions evaluate;
  VerifyFileOptions verify;
  ReportPageOptions report;
  ShellOptions shell;
  AuditVerifyOptions audit_verify;
  TablesOptions tables;
  BenchOptions bench;
  VersionOptions version;
  bool version_flag = false;
  CLI::App* run_command;
  CLI::App* inspect_command;
  CLI::App* scan_command;
  CLI::App* evaluate_command;
  CLI::App* verify_command;
  CLI::App* report_command;
  CLI::App* shell_command;
  CLI::App* audit_command;
  CLI::App* audit_verify_command;
  CLI::App* tables_command;
  CLI::App* bench_command;
  CLI::App* version_command;

  std::vector<CLI::App*> commands() const {
    return {run_command,   inspect_command, scan_command,         evaluate_command, verify_command, report_command,
            shell_command, audit_command,   audit_verify_command, tables_command,   bench_command,  version_command};
  }
  // The command that was named, the innermost of them, or the app itself.
  const CLI::App& named() const;
  // Whether what it did not know are names, and not mistakes.
  bool takes_names(const CLI::App& command) const { return &command == bench_command || &command == evaluate_command; }
  Command command() const;
};

Grammar::Grammar()
    : run_command(add_run(app, run)),
      inspect_command(add_inspect(app, inspect)),
      scan_command(add_scan(app, scan)),
      evaluate_command(add_evaluate(app, evaluate)),
      verify_command(add_verify(app, verify)),
      report_command(add_report(app, report)),
      shell_command(add_shell(app, shell)),
      audit_command(add_audit(app, audit_verify)),
      audit_verify_command(audit_command->get_subcommand("verify")),
      tables_command(add_tables(app, tables)),
      bench_command(add_bench(app, bench)),
      version_command(add_version(app, version)) {
  app.require_subcommand(0, 1);
  app.add_flag("--version", version_flag, "The same as the command version");
  app.footer("Each command has its own --help.\n\nExample: petri run add.wat --call add --args 2 3");
  for (CLI::App* command : commands()) command->get_formatter()->column_width(34);
}

const CLI::App& Grammar::named() const {
  const CLI::App* named = &app;
  for (const CLI::App* command : commands()) {
    if (command->parsed()) named = command;
  }
  return *named;
}

Command Grammar::command() const {
  if (run_command->parsed()) return run;
  if (inspect_command->parsed()) return inspect;
  if (scan_command->parsed()) return scan;
  if (evaluate_command->parsed()) {
    EvaluateOptions options = evaluate;
    options.candidates = evaluate_command->remaining();
    return options;
  }
  if (verify_command->parsed()) return verify;
  if (report_command->parsed()) return report;
  if (shell_command->parsed()) return shell;
  if (audit_verify_command->parsed()) return audit_verify;
  if (tables_command->parsed()) return tables;
  if (bench_command->parsed()) {
    return BenchOptions{
        .names = bench_command->remaining(), .list = bench.list, .verbose = bench.verbose, .json = bench.json};
  }
  return version;
}

std::string words_for(const CLI::App& command) {
  return command.get_parent() == nullptr ? "petri" : words_for(*command.get_parent()) + " " + command.get_name();
}

std::string help_of(const CLI::App& command) {
  return command.help(command.get_parent() == nullptr ? "" : words_for(*command.get_parent()));
}

std::unexpected<Error> refuse(const CLI::App& command, std::string_view what) {
  Error error{.code = ErrorCode::validation_failed,
              .message = fmt::format("{}; see {} --help", what, words_for(command)),
              .details = {}};
  return fail(std::move(error).with(
      "operation", command.get_parent() == nullptr ? "petri" : words_for(command).substr(kPetri.size())));
}

std::string in_quotes(std::string_view word) { return fmt::format("\"{}\"", escape_text(word, kWordBytesMax)); }

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// CLI11's sentence without its line ends and final full stop, safe to print.
std::string words_of(const CLI::Error& error) {
  const std::string text = escape_text(first_line(error.what()), kWordBytesMax);
  return std::string(without_full_stop(text));
}

// Of too many or too few values CLI11 says only "--fuel: At Most 1 required but received 2".
std::string words_of(const CLI::ArgumentMismatch& error) {
  const std::string text = words_of(static_cast<const CLI::Error&>(error));
  const bool too_many = text.find("At Most") != std::string::npos;
  return fmt::format("the option {} {}", text.substr(0, text.find(':')),
                     too_many ? "is given more than once" : "needs a value");
}

// Of a flag with a value it says "Could not convert: --json = maybe".
std::string words_of(const CLI::ConversionError& error) {
  const std::string text = words_of(static_cast<const CLI::Error&>(error));
  return fmt::format("\"{}\" makes no sense",
                     text.substr(text.find(": ") == std::string::npos ? 0 : text.find(": ") + 2));
}

bool looks_like_an_option(const std::string& word) { return word.starts_with('-'); }

std::unexpected<Error> refuse_unexpected(const Grammar& grammar) {
  const CLI::App& command = grammar.named();
  const std::vector<std::string> words = grammar.app.remaining(true);
  // What is left over may begin with names, which are well; the option after them is not.
  const auto wrong =
      grammar.takes_names(command) ? std::find_if(words.begin(), words.end(), looks_like_an_option) : words.begin();
  const std::string word = wrong == words.end() ? std::string() : *wrong;
  if (&command == &grammar.app || &command == grammar.audit_command)
    return refuse(command, fmt::format("there is no command or option {}", in_quotes(word)));
  if (looks_like_an_option(word)) return refuse(command, fmt::format("there is no option {}", in_quotes(word)));
  if (&command == grammar.run_command && !grammar.run.arguments.empty()) {
    return refuse(command, fmt::format("{} is neither a number, as --args expects, nor an option", in_quotes(word)));
  }
  return refuse(command, fmt::format("the argument {} is one too many", in_quotes(word)));
}

// The names after `bench` and `evaluate` are whatever these did not know; an option is no name.
bool left_over_option(const Grammar& grammar) {
  const std::vector<std::string> words = grammar.app.remaining(true);
  return std::any_of(words.begin(), words.end(), looks_like_an_option);
}

Result<Command> parse_words(Grammar& grammar, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    grammar.app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return HelpText{help_of(grammar.named())};
  } catch (const CLI::ExtrasError&) {
    return refuse_unexpected(grammar);
  } catch (const OptionError& error) {
    return refuse(grammar.named(), without_full_stop(error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    return refuse(grammar.named(), words_of(error));
  } catch (const CLI::ConversionError& error) {
    return refuse(grammar.named(), words_of(error));
  } catch (const CLI::Error& error) {
    return refuse(grammar.named(), words_of(error));
  }
  if (&grammar.named() == &grammar.app && !grammar.version_flag) {
    return refuse(
        grammar.app,
        "petri needs a command: run, inspect, scan, evaluate, verify, report, shell, audit, tables, bench or version");
  }
  if (&grammar.named() == grammar.audit_command)
    return refuse(*grammar.audit_command, "petri audit needs a command: verify");
  if (left_over_option(grammar)) return refuse_unexpected(grammar);
  if (grammar.evaluate_command->parsed() && grammar.evaluate_command->remaining().empty()) {
    return refuse(*grammar.evaluate_command, "there is nothing to evaluate: name files or folders");
  }
  return grammar.command();
}

}  // namespace

Result<Command> parse_command_line(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfOptions);
  Grammar grammar;
  PETRI_TRY(Command command, parse_words(grammar, bind_number_arguments({arguments.begin(), end})));
  if (end == arguments.end()) return command;
  if (auto* run = std::get_if<RunOptions>(&command)) {
    run->program_arguments.assign(end + 1, arguments.end());
  } else if (!std::holds_alternative<HelpText>(command)) {
    return refuse(grammar.named(), "only petri run takes arguments after --");
  }
  return command;
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfOptions);
  return std::find(arguments.begin(), end, "--json") != end;
}

std::vector<HelpPage> help_pages() {
  const Grammar grammar;
  std::vector<HelpPage> pages{{"petri", help_of(grammar.app)}};
  for (const CLI::App* command : grammar.commands()) pages.push_back({words_for(*command), help_of(*command)});
  return pages;
}

ExitCode execute(const Command& command, Console& console) {
  if (const auto* help = std::get_if<HelpText>(&command)) {
    console.out.write(help->text);
    return ExitCode::ok;
  }
  if (const auto* run = std::get_if<RunOptions>(&command)) return execute(*run, console);
  if (const auto* inspect = std::get_if<InspectOptions>(&command)) return execute(*inspect, console);
  if (const auto* scan = std::get_if<ScanOptions>(&command)) return execute(*scan, console);
  if (const auto* evaluate = std::get_if<EvaluateOptions>(&command)) return execute(*evaluate, console);
  if (const auto* verify = std::get_if<VerifyFileOptions>(&command)) return execute(*verify, console);
  if (const auto* report = std::get_if<ReportPageOptions>(&command)) return execute(*report, console);
  if (const auto* shell = std::get_if<ShellOptions>(&command)) return execute(*shell, console);
  if (const auto* audit = std::get_if<AuditVerifyOptions>(&command)) return execute(*audit, console);
  if (const auto* tables = std::get_if<TablesOptions>(&command)) return execute(*tables, console);
  if (const auto* bench = std::get_if<BenchOptions>(&command)) return execute(*bench, console);
  return execute(std::get<VersionOptions>(command), console);
}

}  // namespace petri::cli
