#include "cli/population/individual_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/text_table.h"

namespace petri::cli {
namespace {

constexpr std::size_t kPopulationTextShown = 80;

// JSON has no number for these.
Json number_json(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

std::string ids_text(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + escape_text(text, kPopulationTextShown);
  return all;
}

std::string generation_text(const Individual& individual) {
  return individual.generation ? fmt::format("{}", *individual.generation) : "";
}

std::vector<std::string> individual_row(const Individual& individual) {
  return {escape_text(individual.id, kPopulationTextShown),
          score_text(individual.fitness),
          generation_text(individual),
          fmt::format("{}", individual.depth),
          ids_text(individual.parents),
          escape_text(individual.mutation, kPopulationTextShown),
          ids_text(individual.labels),
          individual.kept ? "kept" : ""};
}

const std::vector<std::string>& individual_header() {
  static const std::vector<std::string> names{"id",      "score",    "generation", "depth",
                                              "parents", "mutation", "labels",     ""};
  return names;
}

std::vector<std::string> with_first(std::string first, std::vector<std::string> row) {
  row.insert(row.begin(), std::move(first));
  return row;
}

}  // namespace

Json to_json(const Fitness& fitness) {
  Json components = Json::object();
  for (const auto& [name, value] : fitness.components) components[name] = number_json(value);
  return {{"score", number_json(fitness.score)},
          {"components", std::move(components)},
          {"evaluated_ns", fitness.evaluated_at.time_since_epoch().count()}};
}

Json to_json(const Individual& individual) {
  Json json{{"id", individual.id}, {"parents", individual.parents}};
  if (individual.generation) json["generation"] = *individual.generation;
  json["mutation"] = individual.mutation;
  json["labels"] = individual.labels;
  if (individual.fitness) json["fitness"] = to_json(*individual.fitness);
  json["kept"] = individual.kept;
  json["depth"] = individual.depth;
  json["number"] = individual.number;
  json["created_ns"] = individual.created.time_since_epoch().count();
  return json;
}

Json to_json(const Relative& relative) {
  Json json = relative.removed ? Json{{"id", relative.individual.id}} : to_json(relative.individual);
  json["distance"] = relative.distance;
  json["removed"] = relative.removed;
  return json;
}

std::string score_text(const std::optional<Fitness>& fitness) {
  return fitness ? fmt::format("{}", fitness->score) : "";
}

std::string fitness_text(const std::optional<Fitness>& fitness) {
  std::string parts;
  if (!fitness) return parts;
  for (const auto& [name, value] : fitness->components) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", escape_text(name, kPopulationTextShown), value);
  }
  return score_text(fitness) + (parts.empty() ? "" : " (" + parts + ")");
}

std::string to_text(const Individual& individual) {
  return escape_text(individual.id, kPopulationTextShown) + "\n" +
         text_fields({{"fitness", fitness_text(individual.fitness)},
                      {"generation", generation_text(individual)},
                      {"parents", ids_text(individual.parents)},
                      {"mutation", escape_text(individual.mutation)},
                      {"depth", fmt::format("{}", individual.depth)},
                      {"labels", ids_text(individual.labels)},
                      {"kept", individual.kept ? "yes" : ""}});
}

std::string to_text(const PopulationPage& page, const PopulationQuery& query) {
  if (page.individuals.empty()) return page.total == 0 ? "no individuals\n" : "no more individuals\n";
  const bool ranked = query.order == PopulationOrder::rank;
  Rows rows{ranked ? with_first("rank", individual_header()) : individual_header()};
  for (std::size_t at = 0; at < page.individuals.size(); ++at) {
    std::vector<std::string> row = individual_row(page.individuals[at]);
    rows.push_back(ranked ? with_first(format_count(query.offset + at + 1), std::move(row)) : std::move(row));
  }
  std::string text = text_table(rows);
  if (page.individuals.size() < page.total) {
    text += fmt::format("{} to {} of {}\n", format_count(query.offset + 1),
                        format_count(query.offset + page.individuals.size()), format_count(page.total));
  }
  return text;
}

std::string to_text(const std::vector<Relative>& relatives) {
  Rows rows{with_first("distance", individual_header())};
  for (const Relative& relative : relatives) {
    std::vector<std::string> row = individual_row(relative.individual);
    if (relative.removed) {
      std::ranges::fill(row.begin() + 1, row.end(), "");
      row.back() = "removed";
    }
    rows.push_back(with_first(format_count(relative.distance), std::move(row)));
  }
  return text_table(rows);
}

}  // namespace petri::cli
