// One population in memory.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "population/fitness_order.h"
#include "population/population_store.h"

namespace petri {

// Not for several threads at once. Nothing here fails.
class MemoryTable final : public PopulationWriter {
 public:
  Result<std::optional<Individual>> find(std::string_view id) override;
  Result<PopulationPage> list(const PopulationQuery& query) override;
  Result<std::uint64_t> ranked_before(const Individual& individual) override;
  Result<std::vector<std::string>> children(std::string_view id) override;
  Result<std::vector<Individual>> after(std::uint64_t number, std::size_t limit) override;

  Result<std::optional<std::uint64_t>> depth(std::string_view id) override;
  Result<std::uint64_t> size() override { return rows_.size(); }
  Result<bool> insert(const Individual& individual) override;
  Result<bool> set_fitness(std::string_view id, const Fitness& fitness) override;
  Result<bool> set_kept(std::string_view id, bool kept) override;
  Result<bool> add_label(std::string_view id, std::string_view label) override;
  Result<bool> remove_label(std::string_view id, std::string_view label) override;
  Result<bool> erase(std::string_view id) override;
  Result<std::uint64_t> erase_generations(std::uint64_t retained) override;

  // True as long as no individual was ever added: numbers are not given twice.
  bool is_unused() const { return last_ == 0; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct ByRank {
    bool operator()(const Individual* first, const Individual* second) const { return ranks_before(*first, *second); }
  };

  // nullptr if there is no such individual.
  Individual* row(std::string_view id);
  void erase(Individual& individual);

  std::map<std::uint64_t, Individual> rows_;  // by number; they stay where they are
  std::unordered_map<std::string, Individual*, TextHash, std::equal_to<>> by_id_;
  std::unordered_map<std::string, std::set<std::uint64_t>, TextHash, std::equal_to<>> children_;  // by parent
  std::set<Individual*, ByRank> by_rank_;
  std::map<std::uint64_t, std::uint64_t> generations_;  // how many individuals each has
  std::uint64_t last_ = 0;
};

}  // namespace petri
