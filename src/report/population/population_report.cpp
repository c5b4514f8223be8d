#include "petri/report/population_report.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/page_parts.h"
#include "report/population/population_charts.h"

namespace petri {
namespace {

Result<void> check_population_options(const PopulationReportOptions& options) {
  if (options.drawn_max < 1 || options.drawn_max > kPopulationDrawnMax) {
    return fail(ErrorCode::validation_failed,
                fmt::format("a graph draws 1 to {} individuals, not {}", kPopulationDrawnMax, options.drawn_max));
  }
  if (options.top < 1 || options.top > kPopulationTopMax) {
    return fail(ErrorCode::validation_failed,
                fmt::format("a table of the best has 1 to {} rows, not {}", kPopulationTopMax, options.top));
  }
  return {};
}

std::string population_tiles(const PopulationReportFacts& facts, const Layers& layers) {
  return "<div class=\"tiles\">\n" + page_tile(score_text(facts.best_score), "best score (the largest is best)") +
         page_tile(format_count(facts.individuals), "individuals") +
         page_tile(percent_text(facts.evaluated, facts.individuals), "have a score") +
         page_tile(format_count(facts.layers), layers.by_depth ? "depths" : "generations") + "</div>\n";
}

struct PopulationParts {
  Layers layers;
  Drawing drawing;
  std::vector<Individual> best;
};

std::string population_page(const PopulationParts& parts, const PopulationReportFacts& facts,
                            const std::string& title) {
  std::string page = page_head(title) + "<body>\n<main class=\"population\">\n<header><h1>" + html_text(title) +
                     "</h1>\n<p>A population: who descends from whom, and how fit each is.</p></header>\n";
  page += population_tiles(facts, parts.layers);
  page += page_section("curve", parts.layers.by_depth ? "Fitness over depths" : "Fitness over generations",
                       fitness_chart(parts.layers));
  page += page_section("graph", "Lineage", lineage_graph(parts.drawing, parts.layers.by_depth));
  page += page_section("best", "The best", population_table(parts.best));
  return page + fmt::format("</main>\n<footer>{} of {} individuals are drawn.</footer>\n</body>\n</html>\n",
                            format_count(facts.drawn), format_count(facts.individuals));
}

}  // namespace

Result<PopulationReportFacts> write_population_report(const Population& population, const std::string& page_path,
                                                      const PopulationReportOptions& options) {
  PETRI_TRY(check_population_options(options));
  PETRI_TRY(check_page_path(page_path, {}));
  PopulationParts parts;
  PETRI_TRY(parts.layers, read_layers(population));
  if (parts.layers.individuals == 0) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the population {} has no individual to report", population.name()));
  }
  PETRI_TRY(parts.drawing, choose_drawn(population, parts.layers, options.drawn_max));
  PETRI_TRY(parts.best, population.top(options.top));
  PopulationReportFacts facts{.individuals = parts.layers.individuals,
                              .evaluated = parts.layers.evaluated,
                              .layers = parts.layers.all.size(),
                              .drawn = parts.drawing.individuals.size()};
  if (!parts.best.empty() && parts.best.front().fitness) {
    facts.best = parts.best.front().id;
    facts.best_score = parts.best.front().fitness->score;
  }
  const std::string page = population_page(parts, facts, options.title.empty() ? population.name() : options.title);
  PETRI_TRY(write_page(page_path, page));
  facts.page_bytes = page.size();
  return facts;
}

}  // namespace petri
