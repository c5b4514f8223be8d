#include "cli/commands/inspect.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/commands/module_report.h"
#include "cli/input_file.h"
#include "cli/json.h"
#include "cli/limit_options.h"
#include "cli/option_error.h"
#include "cli/permission_option.h"

namespace petri::cli {
namespace {

// A refused module still has sections to show, if it starts like one.
ExitCode print_refused(const Error& error, std::string_view bytes, bool json, Console& console) {
  const auto sections = starts_like_wasm(bytes) ? section_outline(as_bytes(bytes)) : std::vector<Section>();
  if (json) {
    console.out.write(to_line({{"error", to_json(error)}, {"sections", to_json(sections)}}));
    return exit_code_for(error);
  }
  if (!sections.empty()) console.out.write(to_text(sections));
  return report_error(error, json, console);
}

ExitCode print_accepted(const Artifact& artifact, const InspectOptions& options, Console& console) {
  const ModuleReport report = report_on(artifact, options.permissions, options.limits);
  console.out.write(options.json ? to_line({{"module", to_json(report)}}) : to_text(report, file_title(options.file)));
  return ExitCode::ok;
}

ModuleBounds read_bounds(const std::string& text) {
  const auto bounds = module_bounds_named(text);
  if (bounds) return *bounds;
  throw OptionError("--bounds", fmt::format("there is no set of bounds \"{}\"; the sets are candidate and program",
                                            escape_text(text, kWordShownBytesMax)));
}

}  // namespace

CLI::App* add_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App* command = app.add_subcommand("inspect", "Shows what a module is, needs and offers, without running it");
  command->add_option("FILE", options.file, "wat text or wasm bytes, told apart by content; - is stdin")
      ->type_name("")
      ->required();
  add_permission_option(*command, options.permissions);
  add_limit_option(*command, options.limits, "memory_bytes_max");
  add_limit_option(*command, options.limits, "module_bytes_max");
  command
      ->add_option_function<std::string>(
          "--bounds", [&options](const std::string& text) { options.bounds = read_bounds(text); },
          "The set of bounds that it is held to: candidate, or program (default)")
      ->type_name("SET");
  command->add_flag("--json", options.json, "One JSON object on stdout: module or error");
  command->footer(
      "An import that would be refused is shown and is no failure; a module that is rejected is one.\n\n"
      "Example: petri inspect guest.wasm --allow log,clock");
  return command;
}

ExitCode execute(const InspectOptions& options, Console& console) {
  if (const auto valid = validate(options.limits); !valid) return report_error(valid.error(), options.json, console);
  if (names_source_code(options.file)) {
    const auto compiled = compile_file(options.file, options.limits.module_bytes_max, options.bounds);
    if (!compiled) return report_error(compiled.error(), options.json, console);
    return print_accepted(**compiled, options, console);
  }
  const auto bytes = read_module_bytes(options.file, options.limits.module_bytes_max);
  if (!bytes) return report_error(bytes.error(), options.json, console);
  const auto artifact = check_module(options.file, *bytes, options.limits.module_bytes_max, options.bounds);
  if (!artifact) return print_refused(artifact.error(), *bytes, options.json, console);
  return print_accepted(**artifact, options, console);
}

}  // namespace petri::cli
