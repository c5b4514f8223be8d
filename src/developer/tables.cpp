#include "developer/tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text/escape.h"
#include "cli/command_error.h"
#include "developer/reference_pages.h"

namespace petri::developer {
namespace {

std::string names() {
  std::string text;
  for (const ReferencePage& page : reference_pages()) text.append(text.empty() ? "" : ", ").append(page.name);
  return text;
}

}  // namespace

CLI::App* add_tables(CLI::App& app, TablesOptions& options) {
  CLI::App* command = app.add_subcommand("tables", "Prints a page of docs/reference as Markdown, made from the code");
  command->add_option("NAME", options.name, "Which page; without it, their names")->type_name("");
  command->footer("tools/docs writes all of them.\n\nExample: petri-dev tables limits");
  return command;
}

cli::ExitCode execute(const TablesOptions& options, cli::Console& console) {
  for (const ReferencePage& page : reference_pages()) {
    if (options.name.empty()) console.out.write(fmt::format("{:<16} {}\n", page.name, page.about));
    if (options.name != page.name) continue;
    console.out.write(page.make());
    return cli::ExitCode::ok;
  }
  if (options.name.empty()) return cli::ExitCode::ok;
  return cli::report_error(
      {.code = ErrorCode::not_found,
       .message = fmt::format("there is no page \"{}\"; the pages are {}", escape_text(options.name, 100), names())},
      false, console);
}

}  // namespace petri::developer
