#include "petri/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/escape.h"
#include "population/fitness_order.h"
#include "population/individual_check.h"
#include "population/memory_store.h"
#include "population/relatives.h"
#include "population/rows.h"

namespace petri {
namespace {

PopulationTime present() { return std::chrono::system_clock::now(); }

Error too_many_labels(std::string_view id) {
  return {ErrorCode::limit_exceeded,
          fmt::format("the individual {} has {} labels and may have no more", in_quotes(id), kIndividualLabelsMax),
          {}};
}

RowRefusal refused_unless(bool found, std::string_view id) {
  return found ? std::nullopt : RowRefusal(no_individual(id));
}

// A verb that changes individuals by id.
template <typename Change>
RowResults change_each(PopulationStore& store, const std::string& population, std::span<const std::string> ids,
                       const Change& change) {
  return write_rows(store, population, ids.size(),
                    [&](PopulationWriter& writer, std::size_t row) -> Result<RowRefusal> {
                      PETRI_TRY(const bool found, change(writer, ids[row]));
                      return refused_unless(found, ids[row]);
                    });
}

template <typename Value, typename Read>
Result<Value> read_value(PopulationStore& store, const std::string& population, const Read& read) {
  std::optional<Value> value;
  PETRI_TRY(store.read(population, [&](PopulationReader& reader) -> Result<void> {
    PETRI_TRY(value, read(reader));
    return {};
  }));
  return std::move(*value);
}

}  // namespace

Populations Populations::in_memory(std::uint64_t individuals_max) {
  return Populations(std::make_shared<MemoryStore>(individuals_max));
}

Result<Population> Populations::population(std::string_view name) const {
  PETRI_TRY(check_population_text(name, "the name of a population"));
  return Population(store_, std::string(name));
}

Result<std::vector<PopulationSummary>> Populations::list() const { return store_->populations(); }

Result<void> Populations::remove(std::string_view name) { return store_->remove(std::string(name)); }

RowResults Population::add(std::span<const Individual> individuals, const AddOptions& options) {
  const PopulationTime now = present();
  return write_rows(*store_, name_, individuals.size(),
                    [&](PopulationWriter& writer, std::size_t row) -> Result<RowRefusal> {
                      if (auto checked = check_individual(individuals[row]); !checked) return checked.error();
                      return add_individual(writer, individuals[row], options, now, store_->individuals_max());
                    });
}

Result<void> Population::add(const Individual& individual, const AddOptions& options) {
  return add(std::span(&individual, 1), options).front();
}

RowResults Population::record_fitness(std::span<const FitnessOf> scores) {
  const PopulationTime now = present();
  return write_rows(*store_, name_, scores.size(),
                    [&](PopulationWriter& writer, std::size_t row) -> Result<RowRefusal> {
                      Fitness fitness = scores[row].fitness;
                      if (auto checked = check_fitness(fitness); !checked) return checked.error();
                      fitness.score = ordered_score(fitness.score);
                      if (fitness.evaluated_at == PopulationTime()) fitness.evaluated_at = now;
                      PETRI_TRY(const bool found, writer.set_fitness(scores[row].id, fitness));
                      return refused_unless(found, scores[row].id);
                    });
}

Result<void> Population::record_fitness(std::string_view id, const Fitness& fitness) {
  const FitnessOf row{.id = std::string(id), .fitness = fitness};
  return record_fitness(std::span(&row, 1)).front();
}

RowResults Population::keep(std::span<const std::string> ids) {
  return change_each(*store_, name_, ids, [](auto& writer, auto& id) { return writer.set_kept(id, true); });
}

RowResults Population::release(std::span<const std::string> ids) {
  return change_each(*store_, name_, ids, [](auto& writer, auto& id) { return writer.set_kept(id, false); });
}

RowResults Population::label(std::span<const std::string> ids, std::string_view label) {
  if (const auto checked = check_population_text(label, "the label"); !checked) return {ids.size(), checked};
  return write_rows(*store_, name_, ids.size(), [&](PopulationWriter& writer, std::size_t row) -> Result<RowRefusal> {
    PETRI_TRY(const auto found, writer.find(ids[row]));
    if (!found) return no_individual(ids[row]);
    if (std::ranges::find(found->labels, label) != found->labels.end()) return std::nullopt;
    if (found->labels.size() >= kIndividualLabelsMax) return too_many_labels(ids[row]);
    PETRI_TRY([[maybe_unused]] const bool added, writer.add_label(ids[row], label));
    return std::nullopt;
  });
}

RowResults Population::unlabel(std::span<const std::string> ids, std::string_view label) {
  return change_each(*store_, name_, ids, [&](auto& writer, auto& id) { return writer.remove_label(id, label); });
}

RowResults Population::remove(std::span<const std::string> ids) {
  return change_each(*store_, name_, ids, [](auto& writer, auto& id) { return writer.erase(id); });
}

Result<std::uint64_t> Population::remove_generations(std::uint64_t retained) {
  std::uint64_t removed = 0;
  PETRI_TRY(store_->write(name_, [&](PopulationWriter& writer) -> Result<void> {
    PETRI_TRY(removed, writer.erase_generations(retained));
    return {};
  }));
  return removed;
}

Result<Individual> Population::find(std::string_view id) const {
  return read_value<Individual>(*store_, name_, [&](PopulationReader& reader) -> Result<Individual> {
    PETRI_TRY(auto found, reader.find(id));
    if (!found) return fail(no_individual(id));
    return std::move(*found);
  });
}

Result<PopulationPage> Population::list(const PopulationQuery& query) const {
  return read_value<PopulationPage>(*store_, name_, [&](PopulationReader& reader) { return reader.list(query); });
}

Result<std::vector<Individual>> Population::top(std::size_t count, PopulationQuery query) const {
  query.order = PopulationOrder::rank;
  query.limit = count;
  PETRI_TRY(PopulationPage page, list(query));
  return std::move(page.individuals);
}

Result<std::uint64_t> Population::rank(std::string_view id) const {
  return read_value<std::uint64_t>(*store_, name_, [&](PopulationReader& reader) -> Result<std::uint64_t> {
    PETRI_TRY(const auto found, reader.find(id));
    if (!found) return fail(no_individual(id));
    PETRI_TRY(const std::uint64_t before, reader.ranked_before(*found));
    return before + 1;
  });
}

Result<std::vector<Relative>> Population::lineage(std::string_view id, const WalkOptions& options) const {
  return read_value<std::vector<Relative>>(
      *store_, name_, [&](PopulationReader& reader) { return walk(reader, id, WalkDirection::parents, options); });
}

Result<std::vector<Relative>> Population::descendants(std::string_view id, const WalkOptions& options) const {
  return read_value<std::vector<Relative>>(
      *store_, name_, [&](PopulationReader& reader) { return walk(reader, id, WalkDirection::children, options); });
}

Result<std::optional<Individual>> Population::common_ancestor(std::string_view first, std::string_view second,
                                                              const WalkOptions& options) const {
  return read_value<std::optional<Individual>>(
      *store_, name_, [&](PopulationReader& reader) -> Result<std::optional<Individual>> {
        PETRI_TRY(const auto of_first, walk(reader, first, WalkDirection::parents, options));
        PETRI_TRY(const auto of_second, walk(reader, second, WalkDirection::parents, options));
        return nearest_common(of_first, of_second);
      });
}

}  // namespace petri
