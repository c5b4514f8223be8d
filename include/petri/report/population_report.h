// The report of a population: one HTML page with its fitness over generations and the lineage of its best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "petri/population.h"
#include "petri/result.h"

namespace petri {

// The most individuals that the graph can draw, and the most rows of the table of the best.
constexpr std::size_t kPopulationDrawnMax = 5'000;
constexpr std::size_t kPopulationTopMax = 1'000;

// The contents of a page.
struct PopulationReportOptions {
  std::string title;  // empty: the name of the population
  std::size_t drawn_max =
      1'500;             // individuals of the graph, from 1 to kPopulationDrawnMax; ancestors of the best first
  std::size_t top = 20;  // rows of the table of the best, from 1 to kPopulationTopMax
};

// Facts about a page.
struct PopulationReportFacts {
  std::uint64_t individuals = 0;
  std::uint64_t evaluated = 0;  // with a score that is a number
  std::size_t layers = 0;       // generations; where no individual has one, depths
  std::optional<std::string> best;
  std::optional<double> best_score;
  std::size_t drawn = 0;
  std::size_t page_bytes = 0;
};

// Writes the page as a whole or not at all. Individuals that are added meanwhile may be missing. validation_failed for
// an empty population and for options out of range, io_error, and what the population answers.
Result<PopulationReportFacts> write_population_report(const Population& population, const std::string& page_path,
                                                      const PopulationReportOptions& options = {});

}  // namespace petri
