#include "population/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "population/fitness_order.h"

namespace petri {
namespace {

struct ParentDepths {
  std::uint64_t depth = 0;
  const std::string* missing = nullptr;  // the first parent that is not there
};

Result<ParentDepths> depths_of(PopulationWriter& writer, const Individual& individual) {
  ParentDepths found;
  for (const std::string& parent : individual.parents) {
    PETRI_TRY(const auto depth, writer.depth(parent));
    if (depth) found.depth = std::max(found.depth, *depth + 1);
    if (!depth && found.missing == nullptr) found.missing = &parent;
  }
  return found;
}

Error population_full(std::uint64_t size) {
  return {ErrorCode::limit_exceeded, fmt::format("the population has {} individuals and may have no more", size), {}};
}

Error no_parent(std::string_view id, std::string_view parent) {
  return {ErrorCode::not_found,
          fmt::format("the individual {} has the parent {}, which is not in the population", in_quotes(id),
                      in_quotes(parent)),
          {}};
}

Error individual_exists(std::string_view id) {
  return {ErrorCode::already_exists, fmt::format("the population has an individual {} already", in_quotes(id)), {}};
}

}  // namespace

Error no_individual(std::string_view id) {
  return {ErrorCode::not_found, fmt::format("there is no individual {}", in_quotes(id)), {}};
}

RowResults write_rows(PopulationStore& store, const std::string& population, std::size_t rows,
                      const RowChange& change) {
  RowResults results;
  results.reserve(rows);
  const auto written = store.write(population, [&](PopulationWriter& writer) -> Result<void> {
    for (std::size_t row = 0; row < rows; ++row) {
      PETRI_TRY(RowRefusal refusal, change(writer, row));
      results.push_back(refusal ? fail(*std::move(refusal)) : Result<void>());
    }
    return {};
  });
  if (written) return results;
  results.resize(rows);
  for (Result<void>& result : results) {
    if (result) result = fail(written.error());
  }
  return results;
}

Result<RowRefusal> add_individual(PopulationWriter& writer, Individual individual, const AddOptions& options,
                                  PopulationTime now, std::uint64_t individuals_max) {
  PETRI_TRY(const std::uint64_t size, writer.size());
  if (size >= individuals_max) return population_full(size);
  PETRI_TRY(const ParentDepths parents, depths_of(writer, individual));
  if (parents.missing != nullptr && !options.missing_parents) return no_parent(individual.id, *parents.missing);
  individual.depth = parents.missing == nullptr ? parents.depth : std::max(parents.depth, individual.depth);
  if (individual.created == PopulationTime()) individual.created = now;
  if (individual.fitness) {
    individual.fitness->score = ordered_score(individual.fitness->score);
    if (individual.fitness->evaluated_at == PopulationTime()) individual.fitness->evaluated_at = now;
  }
  PETRI_TRY(const bool added, writer.insert(individual));
  if (!added) return individual_exists(individual.id);
  return std::nullopt;
}

}  // namespace petri
