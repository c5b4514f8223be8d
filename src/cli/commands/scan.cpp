#include "cli/commands/scan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/commands/candidate_files.h"
#include "cli/commands/scan_text.h"
#include "cli/input_file.h"
#include "cli/limit_options.h"
#include "cli/option_error.h"
#include "petri/scan.h"

namespace petri::cli {
namespace {

Severity read_severity(const char* option, const std::string& text) {
  const auto severity = severity_named(text);
  if (severity) return *severity;
  throw OptionError(option, fmt::format("there is no severity \"{}\"; the severities are info, low, medium and high",
                                        escape_text(text, 80)));
}

// The files, and in place of a folder the modules in it. A folder that cannot be looked into stays, and is refused when
// it is read.
std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code unknown;
    auto inside = std::filesystem::is_directory(name, unknown) ? modules_in_folder(name) : std::vector{name};
    if (inside) files.insert(files.end(), inside->begin(), inside->end());
    if (!inside) files.push_back(name);
  }
  return files;
}

Result<ScanReport> scan_file(const std::string& file, const Limits& limits) {
  PETRI_TRY(const ArtifactPtr artifact, read_module(file, limits.module_bytes_max, ModuleBounds::program));
  return name_file(file, scan(*artifact));
}

ScannedFile examine(const std::string& file, const ScanOptions& options) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown))
    return {.file = file, .report = std::nullopt, .error = modules_in_folder(file).error()};
  auto report = scan_file(file, options.limits);
  if (!report) return {.file = file, .report = std::nullopt, .error = std::move(report.error())};
  ScannedFile scanned{
      .file = file, .report = std::move(*report), .error = std::nullopt, .shown_from = options.shown_from};
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
  for (const std::string& file : files_of(options.files)) {
    const ScannedFile scanned = examine(file, options);
    if (scanned.error) code = std::max(code, exit_code_for(*scanned.error));
    files.push_back(to_json(scanned));
  }
  console.out.write(to_line({{"scan", std::move(files)}}));
  return code;
}

}  // namespace

CLI::App* add_scan(CLI::App& app, ScanOptions& options) {
  CLI::App* command =
      app.add_subcommand("scan", "Lists what modules could do, read from their code and not from names");
  command
      ->add_option("FILE", options.files,
                   "wat text or wasm bytes, told apart by content, or a folder of .wat and .wasm files; - is stdin")
      ->type_name("")
      ->required();
  command
      ->add_option_function<std::string>(
          "--fail-on", [&options](const std::string& text) { options.fail_on = read_severity("--fail-on", text); },
          "Refuse a module with a finding of this severity or above: info, low, medium or high")
      ->type_name("SEVERITY");
  command
      ->add_option_function<std::string>(
          "--min-severity",
          [&options](const std::string& text) { options.shown_from = read_severity("--min-severity", text); },
          "List findings of this severity or above: info, low, medium or high (default info); all are counted")
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
  for (const std::string& file : files_of(options.files))
    code = std::max(code, print_verdict(examine(file, options), console));
  return code;
}

}  // namespace petri::cli
