#include "cli/commands/show.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <tuple>

#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/commands/record_text.h"
#include "cli/input_file.h"
#include "cli/option_error.h"

namespace petri::cli {
namespace {

// The lowest score, then the least fuel, then the earliest row.
bool is_better(const Record& record, const std::optional<StoredRecord>& than) {
  if (!record.score || std::isnan(*record.score)) return false;
  if (!than) return true;
  return std::tuple(*record.score, record.fuel_used) < std::tuple(*than->record.score, than->record.fuel_used);
}

Result<StoredRecord> find_row(RecordsReader& reader, const ShowOptions& options) {
  std::optional<StoredRecord> found;
  std::size_t records = 0;
  for (;; ++records) {
    PETRI_TRY(auto stored, reader.next());
    if (!stored) break;
    if (options.row && stored->record.row == *options.row) return *std::move(stored);
    if (options.best && is_better(stored->record, found)) found = std::move(stored);
  }
  if (found) return *std::move(found);
  if (options.best)
    return fail(ErrorCode::not_found,
                fmt::format("{}: no record has a score that is a number", file_title(options.file)));
  return fail(ErrorCode::not_found, fmt::format("{}: there is no record of row {}; the file has {} records",
                                                file_title(options.file), *options.row, format_count(records)));
}

void set_row(ShowOptions& options, const std::string& text) {
  const auto row = parse_count(text);
  if (!row) throw OptionError("--row", row.error().message);
  options.row = *row;
}

Result<void> show(const ShowOptions& options, Console& console) {
  if (options.row.has_value() == options.best)
    return fail(ErrorCode::validation_failed, "petri show needs --row N or --best, and one of them only");
  PETRI_TRY(const auto reader, RecordsReader::open(options.file));
  PETRI_TRY(const StoredRecord stored, find_row(*reader, options));
  const ProgramText program = program_of(stored, reader->header());
  console.out.write(options.json ? to_line({{"record", to_json(stored, reader->header(), program)}})
                                 : to_text(stored, reader->header(), program));
  return {};
}

}  // namespace

CLI::App* add_show(CLI::App& app, ShowOptions& options) {
  CLI::App* command = app.add_subcommand("show", "Prints the program of a record, its cases and their outcomes");
  command->add_option("FILE", options.file, "What petri evaluate --records wrote, in either form")
      ->type_name("")
      ->required();
  command
      ->add_option_function<std::string>(
          "--row", [&options](const std::string& text) { set_row(options, text); }, "The row, counted from 0")
      ->type_name("N");
  command->add_flag("--best", options.best, "The row of the lowest score, and of those the one of least fuel");
  command->add_flag("--json", options.json, "One JSON object on stdout: record or error");
  command->footer(
      "The program is printed as it stands in the file that the record names, if that is still the same, else as wat.\n"
      "Nothing is run, and nothing of the file is verified. Outputs are shown where evaluate kept them "
      "(--keep-output).\n\n"
      "Example: petri show out.jsonl --best");
  return command;
}

ExitCode execute(const ShowOptions& options, Console& console) {
  const auto shown = show(options, console);
  return shown ? ExitCode::ok : report_error(shown.error(), options.json, console);
}

}  // namespace petri::cli
