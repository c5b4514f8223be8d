#include "cli/commands/population.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/assert.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/output_file.h"
#include "cli/population/individual_text.h"
#include "cli/population/population_choice.h"
#include "cli/value_options.h"

namespace petri::cli {
namespace {

constexpr std::size_t kRefusalsShown = 20;

// A population and its answer, in both forms.
struct PopulationAnswer {
  std::string text;
  Json json = Json::object();
  ExitCode code = ExitCode::ok;
};

PopulationQuery population_query(const PopulationOptions& options) {
  PopulationQuery query{.label = options.label, .offset = options.offset, .limit = options.limit};
  if (options.has_generation) query.generation = options.generation;
  if (options.kept) query.kept = true;
  if (options.has_top) {
    query.order = PopulationOrder::rank;
    query.limit = options.top;
  }
  return query;
}

Result<PopulationAnswer> list_individuals(const Population& population, const PopulationOptions& options) {
  const PopulationQuery query = population_query(options);
  PETRI_TRY(const PopulationPage page, population.list(query));
  PopulationAnswer answer{.text = to_text(page, query)};
  answer.json = {{"name", population.name()}, {"total", page.total}, {"individuals", Json::array()}};
  for (const Individual& individual : page.individuals) answer.json["individuals"].push_back(to_json(individual));
  return answer;
}

Result<PopulationAnswer> show_individuals(const Population& population, const PopulationOptions& options) {
  PopulationAnswer answer;
  answer.json = {{"name", population.name()}, {"individuals", Json::array()}};
  for (const std::string& id : options.ids) {
    PETRI_TRY(const Individual individual, population.find(id));
    PETRI_TRY(const std::uint64_t rank, population.rank(id));
    answer.text += to_text(individual) + fmt::format("  rank        {}\n", rank);
    answer.json["individuals"].push_back(to_json(individual));
    answer.json["individuals"].back()["rank"] = rank;
  }
  return answer;
}

Result<PopulationAnswer> list_relatives(const Population& population, const PopulationOptions& options) {
  const std::string& id = options.ids.front();
  PETRI_TRY(const auto relatives, options.descendants ? population.descendants(id) : population.lineage(id));
  PopulationAnswer answer{.text = to_text(relatives)};
  answer.json = {{"name", population.name()}, {"relatives", Json::array()}};
  for (const Relative& relative : relatives) answer.json["relatives"].push_back(to_json(relative));
  return answer;
}

Result<PopulationAnswer> export_to(const Population& population, const PopulationOptions& options) {
  if (options.dot) {
    PopulationAnswer answer;
    PETRI_TRY(answer.text, population.to_dot({.query = population_query(options)}));
    answer.json = {{"name", population.name()}, {"dot", answer.text}};
    return answer;
  }
  PETRI_TRY(check_output(options.lines, std::span(&options.file, 1)));
  PETRI_TRY(population.export_json_lines(options.lines));
  PETRI_TRY(const PopulationPage page, population.list({.limit = 0}));
  PopulationAnswer answer{
      .text = fmt::format("{}: {} individuals\n", escape_text(options.lines), format_count(page.total))};
  answer.json = {{"name", population.name()}, {"file", options.lines}, {"individuals", page.total}};
  return answer;
}

Json refused_json(const RefusedLine& refused) {
  return {{"line", refused.line},
          {"id", refused.id},
          {"code", name_of(refused.error.code)},
          {"message", refused.error.message}};
}

// Lines that were refused are a failure of the input, also when all others are recorded.
Result<PopulationAnswer> import_from(Population& population, const PopulationOptions& options) {
  PETRI_TRY(const ImportReport report,
            population.import_json_lines(options.lines, {.missing_parents = options.missing_parents}));
  PopulationAnswer answer{
      .text = fmt::format("{} imported, {} refused\n", format_count(report.imported), format_count(report.refused))};
  answer.json = {{"name", population.name()},
                 {"imported", report.imported},
                 {"refused", report.refused},
                 {"refusals", Json::array()}};
  for (const RefusedLine& refused : report.refusals) answer.json["refusals"].push_back(refused_json(refused));
  for (const RefusedLine& refused : std::span(report.refusals).first(std::min(report.refusals.size(), kRefusalsShown)))
    answer.text += fmt::format("line {}: {}\n", refused.line, escape_text(refused.error.message));
  if (report.refused > kRefusalsShown) {
    answer.text += fmt::format("and {} more; --json lists the first {}\n",
                               format_count(report.refused - kRefusalsShown), format_count(kRefusalsKept));
  }
  if (report.refused > 0) answer.code = exit_code_for(report.refusals.front().error);
  return answer;
}

Result<PopulationAnswer> act_on_file(const PopulationOptions& options) {
  if (options.has_top && options.has_limit) {
    return fail(ErrorCode::validation_failed, "--top and --limit contradict each other; give one");
  }
  const bool writes = options.action == PopulationAction::import_lines;
  PETRI_TRY(const Populations populations, Populations::open(options.file, {.read_only = !writes}));
  PETRI_TRY(Population population, choose_population(populations, options.file, options.name, writes));
  switch (options.action) {
    case PopulationAction::list: return list_individuals(population, options);
    case PopulationAction::show: return show_individuals(population, options);
    case PopulationAction::lineage: return list_relatives(population, options);
    case PopulationAction::export_lines: return export_to(population, options);
    case PopulationAction::import_lines: return import_from(population, options);
  }
  PETRI_UNREACHABLE();
}

// A command of `population`, with what all of them take.
CLI::App* add_action(CLI::App& population, PopulationOptions& options, PopulationAction action, const char* name,
                     const char* about) {
  CLI::App* command = population.add_subcommand(name, about);
  command->add_option("FILE", options.file, "A population file, as Populations::open makes it")
      ->type_name("")
      ->required();
  command->add_option("--name", options.name, "The population, where the file has several")->type_name("NAME");
  command->add_flag("--json", options.json, "One JSON object on stdout: population or error");
  command->callback([&options, action] { options.action = action; });
  return command;
}

void add_population_list(CLI::App& population, PopulationOptions& options) {
  CLI::App* command = add_action(population, options, PopulationAction::list, "list",
                                 "Lists individuals, oldest first or the best first");
  command->add_option("--label", options.label, "With this label")->type_name("TEXT");
  add_count_option(*command, options.generation, {.name = "--generation", .about = "Of this generation"});
  command->add_flag("--kept", options.kept, "Those that are kept");
  add_count_option(*command, options.top, {.name = "--top", .about = "The N best, by rank"});
  add_count_option(*command, options.offset, {.name = "--offset", .about = "Skips as many"});
  add_count_option(*command, options.limit, {.name = "--limit", .about = "Lists at most as many (default 100)"});
  command->callback([&options, command] {
    options.action = PopulationAction::list;
    options.has_generation = command->count("--generation") > 0;
    options.has_top = command->count("--top") > 0;
    options.has_limit = command->count("--limit") > 0;
  });
  command->footer("Example: petri population list evolution.petri --generation 9 --top 3");
}

void add_population_others(CLI::App& population, PopulationOptions& options) {
  CLI::App* show = add_action(population, options, PopulationAction::show, "show", "Shows all about individuals");
  show->add_option("ID", options.ids, "Their ids")->type_name("")->required();
  show->footer("Example: petri population show evolution.petri cleo");
  CLI::App* lineage = add_action(population, options, PopulationAction::lineage, "lineage",
                                 "Lists an individual and those it descends from, nearest first");
  lineage->add_option("ID", options.ids, "Its id")->type_name("")->required()->expected(1);
  lineage->add_flag("--descendants", options.descendants, "Those that descend from it instead");
  lineage->footer("Example: petri population lineage evolution.petri cleo");
  CLI::App* exporting = add_action(population, options, PopulationAction::export_lines, "export",
                                   "Writes all individuals as JSON Lines, or a graph for Graphviz");
  CLI::Option* output =
      exporting->add_option("-o,--output", options.lines, "The file of JSON Lines; replaced as a whole or not at all")
          ->type_name("FILE");
  exporting->add_flag("--dot", options.dot, "The first thousand as a graph on stdout instead")->excludes(output);
  exporting->footer("Example: petri population export evolution.petri -o evolution.jsonl");
  CLI::App* importing = add_action(population, options, PopulationAction::import_lines, "import",
                                   "Adds the individuals of a file of JSON Lines");
  importing->add_option("LINES", options.lines, "What export wrote, or anybody else")->type_name("")->required();
  importing->add_flag("--missing-parents", options.missing_parents, "Accepts parents that are nowhere");
  importing->footer(
      "Lines that cannot be used are refused and named, and the others are recorded; the exit code is that of the\n"
      "first refusal. The population file is created if it is not there.\n\n"
      "Example: petri population import evolution.petri evolution.jsonl");
}

}  // namespace

CLI::App* add_population(CLI::App& app, PopulationOptions& options) {
  CLI::App* command = app.add_subcommand("population", "Looks at population files, and fills them");
  command->require_subcommand(0, 1);
  add_population_list(*command, options);
  add_population_others(*command, options);
  command->footer("Example: petri population list evolution.petri --top 10");
  return command;
}

ExitCode execute(const PopulationOptions& options, Console& console) {
  if (options.action == PopulationAction::export_lines && !options.dot && options.lines.empty()) {
    return report_error({.code = ErrorCode::validation_failed,
                         .message = "say where the lines go with --output, or ask for --dot",
                         .details = {}},
                        options.json, console);
  }
  const auto answer = act_on_file(options);
  if (!answer) return report_error(answer.error(), options.json, console);
  console.out.write(options.json ? to_line({{"population", answer->json}}) : answer->text);
  return answer->code;
}

}  // namespace petri::cli
