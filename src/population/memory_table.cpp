#include "population/memory_table.h"

#include <algorithm>

namespace petri {
namespace {

bool matches(const Individual& individual, const PopulationQuery& query) {
  if (query.generation && individual.generation != query.generation) return false;
  if (query.kept && individual.kept != *query.kept) return false;
  return query.label.empty() || std::ranges::find(individual.labels, query.label) != individual.labels.end();
}

bool is_for_all(const PopulationQuery& query) { return query.label.empty() && !query.generation && !query.kept; }

// Gathers a page of what it is shown in order; `total` may be known beforehand.
class PageGatherer {
 public:
  PageGatherer(const PopulationQuery& query, std::size_t size)
      : query_(query), total_known_(is_for_all(query)), size_(size) {}

  // Returns false when nothing more has to be shown.
  bool show(const Individual& individual) {
    if (!matches(individual, query_)) return true;
    const bool is_on_page = page_.total >= query_.offset && page_.individuals.size() < query_.limit;
    ++page_.total;
    if (is_on_page) page_.individuals.push_back(individual);
    return !total_known_ || page_.individuals.size() < query_.limit;
  }
  PopulationPage take() {
    if (total_known_) page_.total = size_;
    return std::move(page_);
  }

 private:
  const PopulationQuery& query_;
  const bool total_known_;
  const std::size_t size_;
  PopulationPage page_;
};

}  // namespace

Individual* MemoryTable::row(std::string_view id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Result<std::optional<Individual>> MemoryTable::find(std::string_view id) {
  const Individual* found = row(id);
  if (found == nullptr) return std::nullopt;
  return *found;
}

Result<PopulationPage> MemoryTable::list(const PopulationQuery& query) {
  PageGatherer page(query, rows_.size());
  if (query.order == PopulationOrder::rank) {
    for (const Individual* individual : by_rank_) {
      if (!page.show(*individual)) break;
    }
  } else {
    for (const auto& [number, individual] : rows_) {
      if (!page.show(individual)) break;
    }
  }
  return page.take();
}

Result<std::uint64_t> MemoryTable::ranked_before(const Individual& individual) {
  std::uint64_t before = 0;
  for (const Individual* other : by_rank_) {
    if (!ranks_before(*other, individual)) break;
    ++before;
  }
  return before;
}

Result<std::vector<std::string>> MemoryTable::children(std::string_view id) {
  std::vector<std::string> all;
  const auto found = children_.find(id);
  if (found == children_.end()) return all;
  for (const std::uint64_t number : found->second) all.push_back(rows_.at(number).id);
  return all;
}

Result<std::vector<Individual>> MemoryTable::after(std::uint64_t number, std::size_t limit) {
  std::vector<Individual> all;
  for (auto at = rows_.upper_bound(number); at != rows_.end() && all.size() < limit; ++at) all.push_back(at->second);
  return all;
}

Result<std::optional<std::uint64_t>> MemoryTable::depth(std::string_view id) {
  const Individual* found = row(id);
  if (found == nullptr) return std::nullopt;
  return found->depth;
}

Result<bool> MemoryTable::insert(const Individual& individual) {
  if (row(individual.id) != nullptr) return false;
  Individual& added = rows_[++last_] = individual;
  added.number = last_;
  by_id_.emplace(added.id, &added);
  for (const std::string& parent : added.parents) children_[parent].insert(added.number);
  by_rank_.insert(&added);
  if (added.generation) ++generations_[*added.generation];
  return true;
}

Result<bool> MemoryTable::set_fitness(std::string_view id, const Fitness& fitness) {
  Individual* found = row(id);
  if (found == nullptr) return false;
  by_rank_.erase(found);
  found->fitness = fitness;
  by_rank_.insert(found);
  return true;
}

Result<bool> MemoryTable::set_kept(std::string_view id, bool kept) {
  Individual* found = row(id);
  if (found == nullptr) return false;
  found->kept = kept;
  return true;
}

Result<bool> MemoryTable::add_label(std::string_view id, std::string_view label) {
  Individual* found = row(id);
  if (found == nullptr) return false;
  if (std::ranges::find(found->labels, label) == found->labels.end()) found->labels.emplace_back(label);
  return true;
}

Result<bool> MemoryTable::remove_label(std::string_view id, std::string_view label) {
  Individual* found = row(id);
  if (found == nullptr) return false;
  std::erase(found->labels, label);
  return true;
}

Result<bool> MemoryTable::erase(std::string_view id) {
  Individual* found = row(id);
  if (found == nullptr) return false;
  erase(*found);
  return true;
}

void MemoryTable::erase(Individual& individual) {
  by_rank_.erase(&individual);
  by_id_.erase(by_id_.find(individual.id));
  for (const std::string& parent : individual.parents) {
    const auto siblings = children_.find(parent);
    siblings->second.erase(individual.number);
    if (siblings->second.empty()) children_.erase(siblings);
  }
  if (individual.generation && --generations_[*individual.generation] == 0) generations_.erase(*individual.generation);
  rows_.erase(individual.number);
}

Result<std::uint64_t> MemoryTable::erase_generations(std::uint64_t retained) {
  if (retained >= generations_.size()) return 0;
  const auto newest_old = std::next(generations_.rbegin(), static_cast<std::ptrdiff_t>(retained));
  const std::uint64_t last_removed = newest_old->first;
  std::vector<Individual*> old;
  for (auto& [number, individual] : rows_) {
    if (individual.generation && *individual.generation <= last_removed && !individual.kept) old.push_back(&individual);
  }
  for (Individual* individual : old) erase(*individual);
  return old.size();
}

}  // namespace petri
