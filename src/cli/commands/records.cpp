#include "cli/commands/records.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/json.h"
#include "cli/option_error.h"

namespace petri::cli {
namespace {

void set_form(std::optional<RecordsForm>& form, const std::string& text) {
  for (const RecordsForm one : {RecordsForm::json_lines, RecordsForm::compact}) {
    if (name_of(one) == text) form = one;
  }
  if (form) return;
  throw OptionError("--form", fmt::format("\"{}\" is neither json_lines nor compact", escape_text(text, 80)));
}

bool to_standard_output(const ConvertOptions& options) { return options.output == "-"; }

std::string to_text(const RecordsConversion& conversion, const std::string& output) {
  return fmt::format("{}: {} {}{}\n", output == "-" ? "stdout" : escape_text(output, kPathShownBytesMax),
                     format_count(conversion.records), conversion.records == 1 ? "record" : "records",
                     conversion.complete ? "" : "; the file has no final line, so this one has none");
}

}  // namespace

CLI::App* add_records(CLI::App& app, ConvertOptions& options) {
  CLI::App* command = app.add_subcommand("records", "Writes a records file in its other form");
  command->add_option("FILE", options.file, "What petri evaluate --records wrote, in either form")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options.output,
                   "Where the records go; compact when the name ends with .records, else JSON Lines; -: stdout")
      ->type_name("FILE")
      ->required();
  command
      ->add_option_function<std::string>(
          "--form", [&options](const std::string& text) { set_form(options.form, text); },
          "json_lines or compact, whatever the name is")
      ->type_name("FORM");
  command->add_flag("--json", options.json, "One JSON object on stdout: records or error");
  command->footer(
      "Both forms say the same; everything that reads records reads both. A file that is cut off gives what is whole\n"
      "of it, and stays incomplete.\n\n"
      "Example: petri records run.records -o run.jsonl");
  return command;
}

ExitCode execute(const ConvertOptions& options, Console& console) {
  if (options.json && to_standard_output(options)) {
    return report_error({.code = ErrorCode::validation_failed,
                         .message = "--json and --output - would both write to stdout; name a file for the records",
                         .details = {}},
                        true, console);
  }
  const auto conversion = convert_records(options.file, options.output, options.form);
  if (!conversion) return report_error(conversion.error(), options.json, console);
  if (options.json) {
    console.out.write(to_line(
        {{"records",
          {{"output", options.output}, {"records", conversion->records}, {"complete", conversion->complete}}}}));
  } else {
    OutputStream& summary_stream = to_standard_output(options) ? console.error : console.out;
    summary_stream.write(to_text(*conversion, options.output));
  }
  return ExitCode::ok;
}

}  // namespace petri::cli
