// The sandboxes of a runtime as a population.
#pragma once

#include <memory>
#include <vector>

#include "population/population_store.h"
#include "runtime/registry.h"

namespace petri {

constexpr std::string_view kLivePopulation = "sandboxes";

// Questions are answered by the sandboxes themselves, so that nothing has to be kept in step with them. Individuals
// come by create_sandbox() and go by destroy(), not by add() and remove(). May outlive the runtime: then it is empty.
// Any thread.
class LivePopulation final : public PopulationStore {
 public:
  explicit LivePopulation(std::shared_ptr<const Registry> registry) : registry_(std::move(registry)) {}

  Result<std::vector<PopulationSummary>> populations() override;
  Result<void> remove(const std::string& population) override;
  Result<void> read(const std::string& population, const Read& read) override;
  // Rows that were changed before an error stay changed.
  Result<void> write(const std::string& population, const Write& write) override;
  std::uint64_t individuals_max() const override { return UINT64_MAX; }

 private:
  const std::shared_ptr<const Registry> registry_;
};

}  // namespace petri
