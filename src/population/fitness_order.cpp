#include "population/fitness_order.h"

#include <cmath>

namespace petri {
namespace {

enum class RankClass : std::uint8_t { number, not_a_number, not_evaluated };

RankClass rank_class(const Individual& individual) {
  if (!individual.fitness) return RankClass::not_evaluated;
  return std::isnan(individual.fitness->score) ? RankClass::not_a_number : RankClass::number;
}

bool same_score(double first, double second) { return first == second || (std::isnan(first) && std::isnan(second)); }

}  // namespace

double ordered_score(double score) { return score == 0 ? 0 : score; }

bool ranks_before(const Individual& first, const Individual& second) {
  const RankClass first_class = rank_class(first);
  const RankClass second_class = rank_class(second);
  if (first_class != second_class) return first_class < second_class;
  if (first_class == RankClass::number && first.fitness->score != second.fitness->score) {
    return first.fitness->score > second.fitness->score;
  }
  return first.number < second.number;
}

bool Fitness::operator==(const Fitness& other) const {
  const auto same_component = [](const auto& one, const auto& two) {
    return one.first == two.first && same_score(one.second, two.second);
  };
  return same_score(score, other.score) && evaluated_at == other.evaluated_at &&
         std::equal(components.begin(), components.end(), other.components.begin(), other.components.end(),
                    same_component);
}

std::string_view name_of(PopulationOrder order) { return order == PopulationOrder::creation ? "creation" : "rank"; }

}  // namespace petri
