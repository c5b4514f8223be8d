// Populations in memory, for as long as the process lives.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "population/memory_table.h"
#include "population/population_store.h"

namespace petri {

// Any thread. A transaction holds the lock.
class MemoryStore final : public PopulationStore {
 public:
  explicit MemoryStore(std::uint64_t individuals_max) : individuals_max_(individuals_max) {}

  Result<std::vector<PopulationSummary>> populations() override EXCLUDES(mutex_);
  Result<void> remove(const std::string& population) override EXCLUDES(mutex_);
  Result<void> read(const std::string& population, const Read& read) override EXCLUDES(mutex_);
  // Nothing in memory fails half-way, so that nothing has to be undone.
  Result<void> write(const std::string& population, const Write& write) override EXCLUDES(mutex_);
  std::uint64_t individuals_max() const override { return individuals_max_; }

 private:
  const std::uint64_t individuals_max_;
  Mutex mutex_;
  std::map<std::string, MemoryTable> tables_ GUARDED_BY(mutex_);
};

}  // namespace petri
