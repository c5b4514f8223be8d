// One population of a file, within one transaction of a connection.
#pragma once

#include "population/population_store.h"
#include "population_file/connection.h"

namespace petri {

class SqliteTable final : public PopulationWriter {
 public:
  // Both counts are those of the file; a transaction that has written writes them back.
  struct Counts {
    std::uint64_t individuals = 0;  // of this population
    std::uint64_t last_number = 0;
  };
  SqliteTable(Connection& connection, std::int64_t population, Counts counts)
      : connection_(connection), population_(population), counts_(counts) {}

  Result<std::optional<Individual>> find(std::string_view id) override;
  Result<PopulationPage> list(const PopulationQuery& query) override;
  Result<std::uint64_t> ranked_before(const Individual& individual) override;
  Result<std::vector<std::string>> children(std::string_view id) override;
  Result<std::vector<Individual>> after(std::uint64_t number, std::size_t limit) override;

  Result<std::optional<std::uint64_t>> depth(std::string_view id) override;
  Result<std::uint64_t> size() override { return counts_.individuals; }
  Result<bool> insert(const Individual& individual) override;
  Result<bool> set_fitness(std::string_view id, const Fitness& fitness) override;
  Result<bool> set_kept(std::string_view id, bool kept) override;
  Result<bool> add_label(std::string_view id, std::string_view label) override;
  Result<bool> remove_label(std::string_view id, std::string_view label) override;
  Result<bool> erase(std::string_view id) override;
  Result<std::uint64_t> erase_generations(std::uint64_t retained) override;

  const Counts& counts() const { return counts_; }

 private:
  Result<std::optional<std::uint64_t>> number_of(std::string_view id);
  Result<std::vector<Individual>> individuals(Query& query);
  Result<void> add_lists(Individual& individual);
  Result<std::vector<std::string>> texts(std::string_view sql, std::uint64_t number);
  Result<void> insert_texts(std::string_view sql, const std::vector<std::string>& texts);
  Result<void> insert_components(std::uint64_t number, const Fitness& fitness);
  Result<std::size_t> count(const PopulationQuery& query);
  Result<void> erase_number(std::uint64_t number);

  Connection& connection_;
  const std::int64_t population_;
  Counts counts_;
};

}  // namespace petri
