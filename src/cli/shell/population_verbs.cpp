// fitness, population, lineage, ancestor, keep, release: the sandboxes as a population.
#include <fmt/format.h>

#include <charconv>

#include "base/text/escape.h"
#include "cli/population/individual_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

Result<double> score_of(std::string_view what, const std::string& text) {
  double number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong == std::errc() && end == text.data() + text.size()) return number;
  return fail(ErrorCode::validation_failed,
              fmt::format("{} is {}, which is no number; write it like 0.5, inf or nan", what, in_quotes(text)));
}

Result<PopulationQuery> live_query(const BoundArguments& arguments) {
  PopulationQuery query{.label = arguments.value("--label").value_or("")};
  PETRI_TRY(query.generation, count_option(arguments, "--generation"));
  if (arguments.has("--kept")) query.kept = true;
  PETRI_TRY(const auto top, count_option(arguments, "--top"));
  PETRI_TRY(const auto offset, count_option(arguments, "--offset"));
  PETRI_TRY(const auto limit, count_option(arguments, "--limit"));
  if (top && limit) return fail(ErrorCode::validation_failed, "--top and --limit contradict each other; give one");
  query.offset = offset.value_or(query.offset);
  query.limit = limit.value_or(query.limit);
  if (top) {
    query.order = PopulationOrder::rank;
    query.limit = *top;
  }
  return query;
}

Answer relatives_answer(std::string_view name, const std::vector<Relative>& relatives) {
  Answer answer{.text = to_text(relatives)};
  Json list = Json::array();
  for (const Relative& relative : relatives) list.push_back(to_json(relative));
  answer.json[name] = std::move(list);
  return answer;
}

// A row each; an id that is wrong keeps no other from being changed.
Result<Answer> rows_answer(std::string_view done, const std::vector<std::string>& ids,
                           const std::vector<Result<void>>& rows) {
  Answer answer;
  answer.json["sandboxes"] = Json::array();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.size() == 1 && !rows[row]) return fail(rows[row].error());
    Json json{{"sandbox", ids[row]}};
    if (!rows[row]) json["error"] = rows[row].error().message;
    answer.json["sandboxes"].push_back(std::move(json));
    const std::string id = escape_text(ids[row]);
    answer.text += rows[row] ? fmt::format("{} {}\n", done, id)
                             : fmt::format("not {}: {}\n", id, escape_text(rows[row].error().message));
  }
  return answer;
}

}  // namespace

Result<Answer> record_fitness(ShellSession& session, const BoundArguments& arguments) {
  Fitness fitness;
  PETRI_TRY(fitness.score, score_of("the score", arguments.at(1)));
  for (const std::string& text : arguments.values("--component")) {
    PETRI_TRY(const auto pair, name_and_value("--component", text, "NAME=NUMBER"));
    PETRI_TRY(fitness.components[pair.first], score_of("the component " + in_quotes(pair.first), pair.second));
  }
  Population population = session.runtime().population();
  PETRI_TRY(population.record_fitness(arguments.at(0), fitness));
  PETRI_TRY(const Individual individual, population.find(arguments.at(0)));
  PETRI_TRY(const std::uint64_t rank, population.rank(arguments.at(0)));
  Answer answer{
      .text = fmt::format("{} has {}, rank {}\n", escape_text(individual.id), fitness_text(individual.fitness), rank)};
  answer.json["individual"] = to_json(individual);
  answer.json["rank"] = rank;
  return answer;
}

Result<Answer> show_population(ShellSession& session, const BoundArguments& arguments) {
  const Population population = session.runtime().population();
  if (const auto file = arguments.value("--export")) {
    PETRI_TRY(population.export_json_lines(*file));
    Answer answer{.text = fmt::format("written to {}\n", escape_text(*file))};
    answer.json["file"] = *file;
    return answer;
  }
  PETRI_TRY(PopulationQuery query, live_query(arguments));
  if (arguments.has("--dot")) {
    Answer graph;
    PETRI_TRY(graph.text, population.to_dot({.query = query}));
    graph.json["dot"] = graph.text;
    return graph;
  }
  PETRI_TRY(const PopulationPage page, population.list(query));
  Answer answer{.text = to_text(page, query)};
  Json individuals = Json::array();
  for (const Individual& individual : page.individuals) {
    Json json = to_json(individual);
    // One that was destroyed meanwhile has none any more.
    if (const auto found = session.runtime().find(individual.id)) json["status"] = name_of(found->status());
    individuals.push_back(std::move(json));
  }
  answer.json["individuals"] = std::move(individuals);
  answer.json["total"] = page.total;
  return answer;
}

Result<Answer> show_lineage(ShellSession& session, const BoundArguments& arguments) {
  const Population population = session.runtime().population();
  if (arguments.has("--descendants")) {
    PETRI_TRY(const auto relatives, population.descendants(arguments.at(0)));
    return relatives_answer("descendants", relatives);
  }
  PETRI_TRY(const auto relatives, population.lineage(arguments.at(0)));
  return relatives_answer("lineage", relatives);
}

Result<Answer> show_common_ancestor(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const auto found, session.runtime().population().common_ancestor(arguments.at(0), arguments.at(1)));
  Answer answer{.text = found ? to_text(*found) : "no common ancestor is there\n"};
  answer.json["ancestor"] = found ? to_json(*found) : Json();
  return answer;
}

Result<Answer> keep_sandboxes(ShellSession& session, const BoundArguments& arguments) {
  const std::vector<std::string> ids = arguments.from(0);
  return rows_answer("kept", ids, session.runtime().population().keep(ids));
}

Result<Answer> release_sandboxes(ShellSession& session, const BoundArguments& arguments) {
  const std::vector<std::string> ids = arguments.from(0);
  return rows_answer("released", ids, session.runtime().population().release(ids));
}

}  // namespace petri::cli
