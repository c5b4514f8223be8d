#include "cli/commands/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/input_file.h"
#include "cli/json.h"
#include "cli/option_error.h"
#include "cli/output_file.h"
#include "cli/population/population_choice.h"
#include "cli/value_options.h"
#include "petri/report/population_report.h"

namespace petri::cli {
namespace {

void set_best(std::optional<BestScore>& best, const std::string& text) {
  const auto named = best_score_named(text);
  if (!named) {
    throw OptionError("--best", fmt::format("\"{}\" is neither smallest nor largest", escape_text(text, 80)));
  }
  best = named;
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

// A population file, or an export of one; what is neither is looked at as records.
enum class ReportInput : std::uint8_t { records, population_file, population_lines };

ReportInput input_of(const std::string& path) {
  constexpr std::string_view kSqlite("SQLite format 3\0", 16), kLines = R"({"petri_population")";
  std::string start(std::max(kSqlite.size(), kLines.size()), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start.starts_with(kSqlite)) return ReportInput::population_file;
  return start.starts_with(kLines) ? ReportInput::population_lines : ReportInput::records;
}

// The population of a page. An import that refuses lines leaves the others.
struct ReportedPopulation {
  Population population;
  std::size_t refused = 0;
};

Result<ReportedPopulation> read_population(const ReportPageOptions& options, ReportInput input) {
  if (input == ReportInput::population_file) {
    PETRI_TRY(const Populations populations, Populations::open(options.file, {.read_only = true}));
    PETRI_TRY(Population population, choose_population(populations, options.file, options.name));
    return ReportedPopulation{.population = std::move(population)};
  }
  const std::string name = std::filesystem::path(options.file).filename();
  PETRI_TRY(Population population, Populations::in_memory().population(name));
  PETRI_TRY(const ImportReport report, population.import_json_lines(options.file, {.missing_parents = true}));
  return ReportedPopulation{.population = std::move(population), .refused = report.refused};
}

Json object_of(const PopulationReportFacts& facts, const ReportedPopulation& reported, const std::string& page) {
  Json object{{"page", page},
              {"page_bytes", facts.page_bytes},
              {"population", reported.population.name()},
              {"individuals", facts.individuals},
              {"evaluated", facts.evaluated},
              {"layers", facts.layers},
              {"drawn", facts.drawn},
              {"refused", reported.refused}};
  if (facts.best) object["best"] = *facts.best;
  if (facts.best_score) object["best_score"] = to_json(Value(*facts.best_score));
  return object;
}

std::string to_text(const PopulationReportFacts& facts, const ReportedPopulation& reported, const std::string& page) {
  const std::string best = facts.best
                               ? fmt::format("the best is {} with {}", escape_text(*facts.best), *facts.best_score)
                               : "none has a fitness";
  const std::string refused =
      reported.refused > 0 ? fmt::format("; {} lines were refused", format_count(reported.refused)) : "";
  return fmt::format("{}: {} individuals, {}{}; the page has {}\n", file_title(page), format_count(facts.individuals),
                     best, refused, format_bytes(facts.page_bytes));
}

Result<std::string> report_population(const ReportPageOptions& options, ReportInput input) {
  if (options.best) {
    return fail(ErrorCode::validation_failed, "--best is for records; in a population the largest score is the best");
  }
  if (options.page == "-") {
    return fail(ErrorCode::validation_failed, "--output - is for records; name a file for the page of a population");
  }
  PETRI_TRY(check_output(options.page, std::span(&options.file, 1)));
  PETRI_TRY(const ReportedPopulation reported, read_population(options, input));
  PETRI_TRY(
      const auto facts,
      write_population_report(
          reported.population, options.page,
          {.title = options.title.empty() ? std::filesystem::path(options.file).filename().string() : options.title,
           .top = static_cast<std::size_t>(options.top)}));
  return options.json ? to_line({{"report", object_of(facts, reported, options.page)}})
                      : to_text(facts, reported, options.page);
}

}  // namespace

CLI::App* add_report(CLI::App& app, ReportPageOptions& options) {
  CLI::App* command = app.add_subcommand("report", "Writes an HTML page about a records file or a population");
  command
      ->add_option("FILE", options.file, "What petri evaluate --records wrote, a population file, or an export of one")
      ->type_name("")
      ->required();
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
  command->add_option("--name", options.name, "The population, where the file has several")->type_name("NAME");
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
  if (const ReportInput input = input_of(options.file); input != ReportInput::records) {
    const auto answer = report_population(options, input);
    if (!answer) return report_error(answer.error(), options.json, console);
    console.out.write(*answer);
    return ExitCode::ok;
  }
  if (!options.name.empty()) {
    return report_error({.code = ErrorCode::validation_failed,
                         .message = "--name is for population files; records have no populations",
                         .details = {}},
                        options.json, console);
  }
  const auto facts = write_report(options.file, options.page,
                                  {.best = options.best.value_or(BestScore::smallest),
                                   .top = static_cast<std::size_t>(options.top),
                                   .title = options.title});
  if (!facts) return report_error(facts.error(), options.json, console);
  if (!options.json) (options.page == "-" ? console.error : console.out).write(to_text(*facts, options.page));
  if (facts->read_error) return tell_incomplete(*facts, options, console);
  if (options.json) console.out.write(to_line({{"report", object_of(*facts, options.page)}}));
  return ExitCode::ok;
}

}  // namespace petri::cli
