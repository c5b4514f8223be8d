#include "cli/commands/scan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/commands/scan_text.h"
#include "cli/input_file.h"
#include "cli/limit_options.h"
#include "cli/option_error.h"
#include "petri/scan.h"

namespace petri::cli {
namespace {

void set_fail_on(std::optional<Severity>& fail_on, const std::string& text) {
  fail_on = severity_named(text);
  if (!fail_on) {
    throw OptionError("--fail-on",
                      fmt::format("there is no severity \"{}\"; the severities are info, low, medium and high",
                                  escape_text(text, 80)));
  }
}

Result<ScanReport> scan_file(const std::string& file, const Limits& limits) {
  PETRI_TRY(const ArtifactPtr artifact, read_module(file, limits.module_bytes_max, ModuleBounds::program));
  return name_file(file, scan(*artifact));
}

ScannedFile examine(const std::string& file, const ScanOptions& options) {
  auto report = scan_file(file, options.limits);
  if (!report) return {.file = file, .report = std::nullopt, .error = std::move(report.error())};
  ScannedFile scanned{.file = file, .report = std::move(*report), .error = std::nullopt};
  if (!options.fail_on) return scanned;
  auto passed = check_findings(*scanned.report, *options.fail_on);
  if (!passed) scanned.error = name_file(file, std::move(passed.error()));
  return scanned;
}

ExitCode print_verdict(const ScannedFile& scanned, Console& console) {
  if (scanned.report) console.out.write(to_text(scanned));
  return scanned.error ? report_error(*scanned.error, false, console) : ExitCode::ok;
}

// One object for all files: what is wrong with one is reported where that one is.
ExitCode execute_json(const ScanOptions& options, Console& console) {
  Json files = Json::array();
  ExitCode code = ExitCode::ok;
  for (const std::string& file : options.files) {
    const ScannedFile scanned = examine(file, options);
    if (scanned.error) code = std::max(code, exit_code_for(*scanned.error));
    files.push_back(to_json(scanned));
  }
  console.out.write(to_line({{"scan", std::move(files)}}));
  return code;
}

}  // namespace

CLI::App* add_scan(CLI::App& app, ScanOptions& options) {
  CLI::App* command = app.add_subcommand("scan", "Tells what modules would do, read from their wasm, not from names");
  command->add_option("FILE", options.files, "wat text or wasm bytes, told apart by content; - is stdin")
      ->type_name("")
      ->required();
  command
      ->add_option_function<std::string>(
          "--fail-on", [&options](const std::string& text) { set_fail_on(options.fail_on, text); },
          "Refuse a module with a finding of this severity or above: info, low, medium or high")
      ->type_name("SEVERITY");
  add_limit_option(*command, options.limits, "module_bytes_max");
  command->add_flag("--json", options.json, "One JSON object on stdout: scan or error");
  command->footer(
      "Every file is scanned, whatever is found in those before. A module that is refused, by the gate or by "
      "--fail-on,\n"
      "makes the exit code 4; findings alone do not.\n\n"
      "Example: petri scan guest.wasm plugin.wat --fail-on high");
  return command;
}

ExitCode execute(const ScanOptions& options, Console& console) {
  if (const auto valid = validate(options.limits); !valid) return report_error(valid.error(), options.json, console);
  if (options.json) return execute_json(options, console);
  ExitCode code = ExitCode::ok;
  for (const std::string& file : options.files) code = std::max(code, print_verdict(examine(file, options), console));
  return code;
}

}  // namespace petri::cli
