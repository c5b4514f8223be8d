#include "population/relatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text/escape.h"
#include "population/rows.h"

namespace petri {

Result<std::vector<Relative>> walk(PopulationReader& reader, std::string_view id, WalkDirection direction,
                                   const WalkOptions& options) {
  PETRI_TRY(auto start, reader.find(id));
  if (!start) return fail(no_individual(id));
  std::vector<Relative> all;
  std::unordered_set<std::string> seen{start->id};
  all.push_back({.individual = std::move(*start)});
  for (std::size_t next = 0; next < all.size(); ++next) {
    const std::uint64_t distance = all[next].distance;
    if (all[next].removed || distance >= options.distance_max) continue;
    std::vector<std::string> ids = all[next].individual.parents;
    if (direction == WalkDirection::children) {
      PETRI_TRY(ids, reader.children(all[next].individual.id));
    }
    for (std::string& relative : ids) {
      if (!seen.insert(relative).second) continue;
      if (all.size() >= options.individuals_max) {
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("the individual {} has more than {} relatives; walk less far, or raise individuals_max",
                                in_quotes(id), options.individuals_max));
      }
      PETRI_TRY(auto found, reader.find(relative));
      const bool removed = !found;
      if (removed) found.emplace().id = std::move(relative);
      all.push_back({.individual = std::move(*found), .distance = distance + 1, .removed = removed});
    }
  }
  return all;
}

std::optional<Individual> nearest_common(const std::vector<Relative>& first, const std::vector<Relative>& second) {
  std::unordered_map<std::string_view, std::uint64_t> distances;
  for (const Relative& relative : first) distances.emplace(relative.individual.id, relative.distance);
  const Relative* best = nullptr;
  std::uint64_t best_sum = 0;
  for (const Relative& relative : second) {
    const auto shared = distances.find(relative.individual.id);
    if (relative.removed || shared == distances.end()) continue;
    const std::uint64_t sum = shared->second + relative.distance;
    const bool is_better =
        best == nullptr || sum < best_sum || (sum == best_sum && relative.individual.number > best->individual.number);
    if (!is_better) continue;
    best = &relative;
    best_sum = sum;
  }
  if (best == nullptr) return std::nullopt;
  return best->individual;
}

}  // namespace petri
