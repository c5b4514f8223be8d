// Individuals of a population as people and programs read them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/json.h"
#include "petri/population.h"

namespace petri::cli {

Json to_json(const Fitness& fitness);
Json to_json(const Individual& individual);
Json to_json(const Relative& relative);

// "0.75", or "0.75 (error 0.2, size 0.05)"; empty without a fitness.
std::string score_text(const std::optional<Fitness>& fitness);
std::string fitness_text(const std::optional<Fitness>& fitness);

// All about one, a line for each fact.
std::string to_text(const Individual& individual);
// A table with a rank where the query asks for that order, and below it which of how many it shows.
std::string to_text(const PopulationPage& page, const PopulationQuery& query);
// A table, nearest first.
std::string to_text(const std::vector<Relative>& relatives);

}  // namespace petri::cli
