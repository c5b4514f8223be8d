#include "cli/commands/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/input_file.h"
#include "cli/json.h"
#include "cli/option_error.h"
#include "cli/value_options.h"

namespace petri::cli {
namespace {

void set_best(BestScore& best, const std::string& text) {
  const auto named = best_score_named(text);
  if (!named) {
    throw OptionError("--best", fmt::format("\"{}\" is neither smallest nor largest", escape_text(text, 80)));
  }
  best = *named;
}

Json object_of(const ReportFacts& facts, const std::string& page) {
  Json object{{"page", page},           {"page_bytes", facts.page_bytes}, {"records", facts.records},
              {"scored", facts.scored}, {"doubtful", facts.doubtful},     {"state", name_of(facts.state)}};
  if (facts.best_row) object["best_row"] = *facts.best_row;
  if (facts.best_score) object["best_score"] = to_json(Value(*facts.best_score));
  if (facts.best_doubt) object["best_doubt"] = *facts.best_doubt;
  return object;
}

std::string best_text(const ReportFacts& facts) {
  if (!facts.best_score) return ", none with a score";
  const std::string doubt = facts.best_doubt ? fmt::format(" (doubtful: {})", *facts.best_doubt) : "";
  return fmt::format(", the best score is {} in row {}{}", *facts.best_score, format_count(*facts.best_row), doubt);
}

std::string_view state_text(const ReportFacts& facts) {
  if (facts.read_error || facts.state == RecordsState::whole) return "";
  return facts.state == RecordsState::changed ? "; the file was changed" : "; the file has no final line";
}

std::string to_text(const ReportFacts& facts, const std::string& page) {
  return fmt::format("{}: {} records{}{}; the page has {}\n", file_title(page), format_count(facts.records),
                     best_text(facts), state_text(facts), format_bytes(facts.page_bytes));
}

// The page shows what could be read; that this was not all is still a failure.
ExitCode tell_incomplete(const ReportFacts& facts, const ReportPageOptions& options, Console& console) {
  Error error = *facts.read_error;
  error.message = fmt::format("{}; the page shows the {} whole records before it", without_full_stop(error.message),
                              format_count(facts.records));
  if (!options.json) return report_error(error, false, console);
  console.out.write(to_line({{"error", to_json(error)}, {"report", object_of(facts, options.page)}}));
  return exit_code_for(error);
}

}  // namespace

CLI::App* add_report(CLI::App& app, ReportPageOptions& options) {
  CLI::App* command = app.add_subcommand("report", "Writes an HTML page about a records file");
  command->add_option("FILE", options.file, "What petri evaluate --records wrote")->type_name("")->required();
  command->add_option("-o,--output", options.page, "Where the page goes; replaced as a whole or not at all; -: stdout")
      ->type_name("PAGE")
      ->required();
  command
      ->add_option_function<std::string>(
          "--best", [&options](const std::string& text) { set_best(options.best, text); },
          "Which scores are good: smallest or largest (default smallest, as of errors)")
      ->type_name("WHICH");
  command->add_option("--title", options.title, "The title of the page (default: the name of the file)")
      ->type_name("TEXT");
  add_count_option(*command, options.top,
                   {.name = "--top",
                    .about = fmt::format("Rows in the table of the best (default {})", options.top),
                    .max = kReportTopMax});
  command->add_flag("--json", options.json, "One JSON object on stdout: report or error");
  command->footer(
      "The page needs nothing else: no network, no script. Of a file that is cut off or damaged it shows the whole\n"
      "records before that place and says so; the exit code is 4 all the same.\n\n"
      "Example: petri report out.jsonl -o report.html");
  return command;
}

ExitCode execute(const ReportPageOptions& options, Console& console) {
  if (options.json && options.page == "-") {
    return report_error({.code = ErrorCode::validation_failed,
                         .message = "--json and --output - would both write to stdout; name a file for the page",
                         .details = {}},
                        true, console);
  }
  const auto facts =
      write_report(options.file, options.page,
                   {.best = options.best, .top = static_cast<std::size_t>(options.top), .title = options.title});
  if (!facts) return report_error(facts.error(), options.json, console);
  if (!options.json) (options.page == "-" ? console.error : console.out).write(to_text(*facts, options.page));
  if (facts->read_error) return tell_incomplete(*facts, options, console);
  if (options.json) console.out.write(to_line({{"report", object_of(*facts, options.page)}}));
  return ExitCode::ok;
}

}  // namespace petri::cli
