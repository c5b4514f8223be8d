#include "population/memory_store.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri {

Result<std::vector<PopulationSummary>> MemoryStore::populations() {
  MutexLock lock(mutex_);
  std::vector<PopulationSummary> all;
  for (auto& [name, table] : tables_) all.push_back({.name = name, .individuals = *table.size()});
  return all;
}

Result<void> MemoryStore::remove(const std::string& population) {
  MutexLock lock(mutex_);
  if (tables_.erase(population) == 1) return {};
  return fail(ErrorCode::not_found, fmt::format("there is no population {}", in_quotes(population)));
}

Result<void> MemoryStore::read(const std::string& population, const Read& read) {
  MutexLock lock(mutex_);
  const auto found = tables_.find(population);
  if (found != tables_.end()) return read(found->second);
  MemoryTable none;
  return read(none);
}

Result<void> MemoryStore::write(const std::string& population, const Write& write) {
  MutexLock lock(mutex_);
  auto& table = tables_[population];
  auto written = write(table);
  if (table.is_unused()) tables_.erase(population);
  return written;
}

}  // namespace petri
