#include "cli/manual/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "base/files/file.h"
#include "cli/command_error.h"
#include "cli/command_line.h"
#include "cli/commands/version.h"
#include "cli/manual/completion_script.h"
#include "cli/manual/man_page.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

Result<void> write_pages(const std::vector<ManPage>& pages, const std::string& folder) {
  for (const ManPage& page : pages) PETRI_TRY(write_file(fmt::format("{}/{}.1", folder, page.name), page.text));
  return {};
}

Result<void> print_page(const std::vector<ManPage>& pages, const std::string& command, Console& console) {
  const std::string name = command.empty() ? "petri" : "petri-" + command;
  std::vector<std::string> commands;
  for (const ManPage& page : pages) {
    if (page.name != name) {
      if (page.name != "petri") commands.push_back(page.name.substr(page.name.find('-') + 1));
      continue;
    }
    console.out.write(page.text);
    return {};
  }
  return fail(ErrorCode::not_found,
              fmt::format("there is no page {}; the pages are {}", argument_shown(command), fmt::join(commands, ", ")));
}

Result<std::string> completion_for(const std::string& shell) {
  if (shell == "bash") return bash_completion(command_descriptions());
  if (shell == "zsh") return zsh_completion(command_descriptions());
  if (shell == "fish") return fish_completion(command_descriptions());
  return fail(ErrorCode::not_found, fmt::format("there is no completion for {}; the shells are {}",
                                                argument_shown(shell), fmt::join(completion_shells(), ", ")));
}

}  // namespace

CLI::App* add_manual(CLI::App& app, ManualOptions& options) {
  CLI::App* command = app.add_subcommand("manual", "Prints the manual page of a command, for man");
  command->add_option("COMMAND", options.command, "Such as run or audit-verify; without it, petri itself")
      ->type_name("");
  command->add_option("--folder", options.folder, "Write the pages of all commands there instead, as petri-run.1")
      ->type_name("DIR");
  command->footer("make install puts the pages where man finds them.\n\nExample: petri manual run | man -l -");
  return command;
}

CLI::App* add_completion(CLI::App& app, CompletionOptions& options) {
  CLI::App* command = app.add_subcommand("completion", "Prints a script that has a shell complete petri's words");
  command->add_option("SHELL", options.shell, "bash, zsh or fish")->type_name("")->required();
  command->footer(
      "make install puts the scripts where the shells find them. Without it, a line in the shell's start file\n"
      "does: source <(petri completion bash) in ~/.bashrc, the same with zsh in ~/.zshrc after compinit, and\n"
      "petri completion fish | source in ~/.config/fish/config.fish.\n\n"
      "Example: petri completion bash");
  return command;
}

ExitCode execute(const ManualOptions& options, Console& console) {
  const std::vector<ManPage> pages = man_pages(command_descriptions(), petri_version());
  const auto done =
      options.folder.empty() ? print_page(pages, options.command, console) : write_pages(pages, options.folder);
  return done ? ExitCode::ok : report_error(done.error(), false, console);
}

ExitCode execute(const CompletionOptions& options, Console& console) {
  const auto script = completion_for(options.shell);
  if (!script) return report_error(script.error(), false, console);
  console.out.write(*script);
  return ExitCode::ok;
}

}  // namespace petri::cli
