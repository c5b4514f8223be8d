// Where populations are kept: what the rules need of a store, in memory or in a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/population.h"

namespace petri {

// The individuals of one population, as one transaction sees them. Arguments have passed the checks.
class PopulationReader {
 public:
  virtual ~PopulationReader() = default;
  virtual Result<std::optional<Individual>> find(std::string_view id) = 0;
  virtual Result<PopulationPage> list(const PopulationQuery& query) = 0;
  // Counts those that rank before it.
  virtual Result<std::uint64_t> ranked_before(const Individual& individual) = 0;
  virtual Result<std::vector<std::string>> children(std::string_view id) = 0;
  // At most `limit` individuals with a number above this one, in the order of numbers.
  virtual Result<std::vector<Individual>> after(std::uint64_t number, std::size_t limit) = 0;
};

class PopulationWriter : public PopulationReader {
 public:
  // nullopt if there is no such individual.
  virtual Result<std::optional<std::uint64_t>> depth(std::string_view id) = 0;
  virtual Result<std::uint64_t> size() = 0;
  // Gives it its number. False: its id is taken.
  virtual Result<bool> insert(const Individual& individual) = 0;
  // Returns false if there is no such individual, as those below do.
  virtual Result<bool> set_fitness(std::string_view id, const Fitness& fitness) = 0;
  virtual Result<bool> set_kept(std::string_view id, bool kept) = 0;
  virtual Result<bool> add_label(std::string_view id, std::string_view label) = 0;
  virtual Result<bool> remove_label(std::string_view id, std::string_view label) = 0;
  virtual Result<bool> erase(std::string_view id) = 0;
  virtual Result<std::uint64_t> erase_generations(std::uint64_t retained) = 0;
};

// Any thread. One transaction writes at a time.
class PopulationStore {
 public:
  using Read = std::function<Result<void>(PopulationReader&)>;
  using Write = std::function<Result<void>(PopulationWriter&)>;

  virtual ~PopulationStore() = default;
  virtual Result<std::vector<PopulationSummary>> populations() = 0;
  virtual Result<void> remove(const std::string& population) = 0;
  virtual Result<void> read(const std::string& population, const Read& read) = 0;
  // All of it is durable when this returns, or nothing of it has happened: after an Error of `write`, too.
  virtual Result<void> write(const std::string& population, const Write& write) = 0;
  virtual std::uint64_t individuals_max() const = 0;
};

}  // namespace petri
