#include <fmt/format.h>

#include "base/text/units.h"
#include "report/page/html.h"
#include "report/population/population_charts.h"

namespace petri {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + html_text(name, 80);
  return text;
}

std::string components_text(const Fitness& fitness) {
  std::string text;
  for (const auto& [name, value] : fitness.components) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", html_text(name, 80), score_text(value));
  }
  return text;
}

std::string table_row(std::size_t rank, const Individual& individual) {
  const std::string score = individual.fitness ? score_text(individual.fitness->score) : "none";
  return fmt::format(
      "<tr><td class=\"rank\">{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
      "<td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      format_count(rank), html_text(individual.id, 80), score,
      individual.fitness ? components_text(*individual.fitness) : "",
      individual.generation ? format_count(*individual.generation) : "", format_count(individual.depth),
      names_text(individual.parents), html_text(individual.mutation, 80), names_text(individual.labels));
}

}  // namespace

std::string population_table(const std::vector<Individual>& best) {
  std::string rows;
  for (std::size_t place = 0; place < best.size(); ++place) rows += table_row(place + 1, best[place]);
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"the best\"><table class=\"best\"><thead><tr>"
      "<th class=\"rank\"><span aria-label=\"rank\">#</span></th><th>id</th><th class=\"number\">score</th>"
      "<th>components</th><th class=\"number\">generation</th><th class=\"number\">depth</th><th>parents</th>"
      "<th>mutation</th><th>labels</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
      rows);
}

}  // namespace petri
