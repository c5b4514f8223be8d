#include "cli/shell/shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/command_error.h"
#include "cli/input_file.h"
#include "cli/shell/command_loop.h"
#include "cli/shell/history_file.h"
#include "cli/shell/line_editor.h"
#include "cli/value_options.h"

namespace petri::cli {
namespace {

constexpr std::uint64_t kScriptBytesMax = 64ULL << 20;
constexpr std::uint64_t kWorkersMax = 4'096;
constexpr std::string_view kWelcome = "petri shell: help lists the verbs, the tab key completes, Ctrl-D ends\n";

bool reads_stdin(const ShellOptions& options) {
  return !options.command && (options.file.empty() || options.file == "-");
}

IdleWork idle_work(CommandLoop& loop) {
  return {.is_due = [&loop] { return loop.has_news(); }, .act = [&loop] { loop.print_news(); }};
}

ExitCode run_typed(CommandLoop& loop, ShellSession& session, Console& console, SessionSignals& signals) {
  console.out.write(kWelcome);
  LineEditor editor(console, signals,
                    {.history = history_path(std::getenv("XDG_STATE_HOME"), std::getenv("HOME")),
                     .known_names = [&session] { return session.known_names(); },
                     .idle = idle_work(loop)});
  return loop.run(editor);
}

Result<std::string> read_script(const ShellOptions& options) {
  if (options.command) return *options.command;
  return read_input(options.file, kScriptBytesMax);
}

Result<ExitCode> run_shell(const ShellOptions& options, Console& console) {
  if (options.command && !options.file.empty())
    return fail(ErrorCode::validation_failed, "FILE and -c cannot both be carried out; see petri shell --help");
  std::string script;
  if (!reads_stdin(options)) {
    PETRI_TRY(script, read_script(options));
  }
  SessionSignals signals;  // before the runtime has threads
  PETRI_TRY(const auto session, ShellSession::create({.workers = static_cast<unsigned>(options.workers),
                                                      .audit = {.file = options.audit_file}}));
  const bool typed = reads_stdin(options) && ::isatty(STDIN_FILENO) == 1 && console.out.is_terminal();
  CommandLoop loop(
      *session, console,
      {.json = options.json, .echo = options.echo, .stop_on_error = options.stop_on_error, .typed = typed});
  if (typed) return run_typed(loop, *session, console, signals);
  if (reads_stdin(options)) {
    DescriptorLines lines(STDIN_FILENO, signals, idle_work(loop));
    return loop.run(lines);
  }
  TextLines lines(script, signals);
  return loop.run(lines);
}

}  // namespace

CLI::App* add_shell(CLI::App& app, ShellOptions& options) {
  CLI::App* command = app.add_subcommand("shell", "Sandboxes by commands that are typed, or read from a script");
  command->add_option("FILE", options.file, "Commands, one a line; without it stdin")->type_name("");
  command->add_option("-c,--command", options.command, "These commands instead of a file's")->type_name("TEXT");
  command->add_flag("--stop-on-error", options.stop_on_error, "End a script at the first command that fails");
  command->add_flag("--echo", options.echo, "Print each command before its answer");
  add_count_option(
      *command, options.workers,
      {.name = "--workers", .about = "Guests that run at a time (default: one a core)", .max = kWorkersMax});
  command->add_option("--audit", options.audit_file, "Keep the audit trail in this file too")->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout for each answer, event and log line");
  command->footer(
      "At a terminal lines are edited, kept as history and completed with the tab key. Anywhere else there is no\n"
      "prompt, a command that fails says so and the next one follows, and the exit code is that of the first failure.\n"
      "The verb help lists what can be done.\n\n"
      "Example: petri shell -c 'create adder add.wat'\n"
      "         petri shell session.txt --stop-on-error");
  return command;
}

ExitCode execute(const ShellOptions& options, Console& console) {
  const auto code = run_shell(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
